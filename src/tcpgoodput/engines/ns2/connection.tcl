# One TCP connection in ns-2.35 without trace files. The lines above set these variables:
#
#   given       constant parameters, in seconds, bit/s, bytes or packets
#   spikes      TIME block TIME unblock ...: times between which the server starts no packet
#   capacity    TIME RATE ..., repeated if capacity_period is not 0: the server's rate, or the rate
#               of cross-traffic with priority if given(cross_bits), the size of its packets, is not 0
#   bad         TIME 1 TIME 0 ...: times between which all packets are lost
#   drops       numbers of the lost packets, from 0
#   handoffs    TIME {} TIME {} ...: times of hand-offs, which lose or delay the next new packets
#   delays      delays after the bottleneck; each hand-off sets the next one, in turn
#
# Sender -> base -> (queue, server, losses, hand-offs) -> away -> receiver -> sender. All links
# except the bottleneck are almost infinitely fast. ACKs return at once, because `backward` is the
# whole delay after the bottleneck. The other links still take a few nanoseconds. So a packet arrives
# after one that leaves the queue at the same time, which is frequent if the round trip is a multiple
# of a packet's transmission time.

set infinite 1e12
set endless 10000000
set endless_transfer 1000000000

set ns [new Simulator]
$defaultRNG seed $given(seed)
foreach name {sender base away receiver} {
    set $name [$ns node]
}
$ns simplex-link $sender $base $infinite $given(forward) DropTail
set queueing [expr {$given(cross_bits) ? "SimpleIntServ" : "DropTail"}]
$ns simplex-link $base $away $given(rate) 0 $queueing
$ns simplex-link $away $receiver $infinite $given(backward) DropTail
$ns simplex-link $receiver $sender $infinite 0 DropTail
foreach {from to} [list $sender $base $away $receiver $receiver $sender] {
    $ns queue-limit $from $to $endless
}
set bottleneck [$ns link $base $away]
set server [$bottleneck link]
set last_mile [[$ns link $away $receiver] link]

# Execute an action with each value of a timetable at its time; schedule only the next one.
proc play {table period action {next 0} {turn 0}} {
    global ns
    upvar #0 $table entries
    if {$next == [llength $entries]} {
        if {$next == 0 || $period == 0} {
            return
        }
        set next 0
        incr turn
    }
    set time [expr {$turn * $period + [lindex $entries $next]}]
    set value [lindex $entries [expr {$next + 1}]]
    $ns at $time "$action $value; play $table $period {$action} [expr {$next + 2}] $turn"
}

# The limit of ns-2's queue includes the packet in service. A Delayer has room for one more packet.
set limit $given(buffer)
if {[llength $spikes]} {
    set delayer [new Delayer]
    $ns insert-delayer $base $away $delayer
    incr limit -1
    play spikes 0 $delayer
}
# Change the rate of the cross-traffic to `bps` bit/s now. The part of a packet that was due so far
# remains due, so that the flow sends the integral of its rates.
proc change_flow {bps} {
    global ns given flow flow_bps changed_at due_bits turn_of_flow
    set now [$ns now]
    set due_bits [expr {fmod($due_bits + $flow_bps * ($now - $changed_at), $given(cross_bits))}]
    set changed_at $now
    set flow_bps $bps
    incr turn_of_flow
    $flow stop
    if {$bps > 0} {
        $flow set rate_ $bps
        set due [expr {$now + ($given(cross_bits) - $due_bits) / $bps}]
        $ns at $due "start_flow $turn_of_flow"
    }
}
# Start the flow, unless its rate has changed since the start was scheduled.
proc start_flow {turn} {
    global flow turn_of_flow
    if {$turn == $turn_of_flow} {
        $flow start
    }
}
if {!$given(cross_bits)} {
    $ns queue-limit $base $away $limit
    play capacity $capacity_period "$server set bandwidth_"
} else {
    # The queue serves packets of class 1, which have a flow number, before those of class 0.
    set queue [$bottleneck queue]
    $queue set qlimit0_ $limit
    $queue set qlimit1_ $endless
    set cross [new Agent/UDP]
    $cross set fid_ 1
    set absorber [new Agent/Null]
    $ns attach-agent $base $cross
    $ns attach-agent $away $absorber
    $ns connect $cross $absorber
    set flow [new Application/Traffic/CBR]
    $flow set packetSize_ [expr {$given(cross_bits) / 8}]
    $flow attach-agent $cross
    set flow_bps 0.0
    set changed_at 0.0
    set due_bits 0.0
    set turn_of_flow 0
    play capacity $capacity_period change_flow
}

# Insert an element directly after the last one that was inserted after the server.
set behind $server
proc append_behind {element} {
    global behind
    $element target [$behind target]
    $behind target $element
    set behind $element
}

set errors ""
switch $given(loss) {
    independent - slots {
        set errors [new ErrorModel]
        $errors unit pkt
        $errors set rate_ $given(probability)
        play bad 0 "$errors set rate_"
    }
    packets {
        set errors [new ErrorModel/List]
        $errors droplist $drops
    }
}
if {$errors != ""} {
    $errors drop-target [new Agent/Null]
    if {$given(before)} {
        $ns lossmodel $errors $base $away
    } else {
        append_behind $errors
    }
}

foreach {key value} $tcp_settings {
    Agent/TCP set $key $value
}
foreach {key value} $newreno_settings {
    Agent/TCP/Newreno set $key $value
}
set tcp [new Agent/$given(agent)]
set sink [new Agent/$given(sink)]
if {$given(delays_acks)} {
    $sink set interval_ $given(ack_delay)
    $sink set SYN_immediate_ack_ false
}
$ns attach-agent $sender $tcp
$ns attach-agent $receiver $sink
$ns connect $tcp $sink

# A hand-off affects the next packets that are sent for the first time. Whether a packet is sent for
# the first time is known only at the sender, and whether it has passed the queue only after the
# server. So one element watches packets at each place, from a hand-off until all affected packets
# have passed. `sent` contains the number of the last hand-off before each packet was sent, negative
# for a retransmission.
set handed_off 0
proc begin_handoff {} {
    global handed_off entrance entrance_watch behind exit_watch
    incr handed_off
    $entrance target $entrance_watch
    $behind target $exit_watch
}
proc end_handoff {} {
    global entrance entrance_watch behind past sent
    $entrance target [$entrance_watch target]
    $behind target $past
    array unset sent
}
# Return whether a hand-off affects a packet that leaves the server.
proc hits {packet} {
    global given delays last_mile handed_off passed left sent
    if {![info exists sent($packet)]} {
        return 0
    }
    set after [expr {abs($sent($packet))}]
    if {$after > $passed} {
        set passed $after
        set left $given(hit)
        if {[llength $delays]} {
            $last_mile set delay_ [lindex $delays [expr {($after - 1) % [llength $delays]}]]
        }
    }
    if {$sent($packet) < 0 || $left == 0} {
        return 0
    }
    incr left -1
    return 1
}
proc all_hit {} {
    global handed_off passed left
    return [expr {$left == 0 && $passed == $handed_off}]
}
if {[llength $handoffs]} {
    set passed 0
    set left 0
    set entrance [[$ns link $sender $base] head]
    set entrance_watch [new Trace/Recv]
    $entrance_watch target [$entrance target]
    $entrance_watch set callback_ 1
    $entrance_watch proc handle {line} {
        global tcp sent handed_off
        set first [expr {[lindex $line 10] > [$tcp set maxseq_]}]
        set sent([lindex $line 11]) [expr {$first ? $handed_off : -$handed_off}]
    }
    set past [$behind target]
    set beside [new Agent/Null]
    if {$given(late) >= 0} {
        set beside [new ErrorModel]
        $beside unit pkt
        $beside set rate_ 1
        $beside set delay_pkt_ true
        $beside set delay_ $given(late)
        $beside target $past
    }
    set exit_watch [new Trace/Recv]
    $exit_watch target $past
    $exit_watch set callback_ 1
    $exit_watch proc handle {line} {
        global past beside
        $self target [expr {[hits [lindex $line 11]] ? $beside : $past}]
        if {[all_hit]} {
            end_handoff
        }
    }
    if {$errors != "" && !$given(before)} {
        # Packets that the link loses also count as affected by the hand-off.
        set lost_watch [new Trace/Recv]
        $lost_watch set callback_ 1
        $lost_watch proc handle {line} {
            hits [lindex $line 11]
        }
        $errors drop-target $lost_watch
    }
    play handoffs 0 begin_handoff
}

proc counts {} {
    global tcp
    return [list [expr {[$tcp set ack_] + 1}] [$tcp set ndatapack_] [$tcp set nrexmitpack_] \
        [$tcp set nrexmit_] [$tcp set ncwndcuts_]]
}
set before {0 0 0 0 0}
proc begin {} {
    global before
    set before [counts]
}
proc finish {measured} {
    global before
    puts "measured_s $measured"
    foreach what {acknowledged sent retransmitted timeouts cuts} now [counts] then $before {
        puts "$what [expr {$now - $then}]"
    }
    puts "crossed [lindex [counts] 1]"
    exit 0
}

# Set ssthresh_ at time 0, because `run` resets the agents.
$ns at 0 "$tcp set ssthresh_ $given(ssthresh)"
if {$given(transfer)} {
    $tcp proc done {} {
        global ns
        finish [$ns now]
    }
    $ns at 0 "$tcp advance $given(transfer)"
    $ns at $given(end) {puts unfinished; exit 0}
} else {
    $ns at 0 "$tcp advance $endless_transfer"
    $ns at $given(begin) begin
    $ns at $given(end) "finish [expr {$given(end) - $given(begin)}]"
}
$ns run
