# One TCP connection in ns-2.35, on the path that the lines above describe, without trace files:
#
#   given       what stays the same; seconds, bit/s, bytes, packets
#   spikes      TIME block, TIME unblock: the server stands still, the packet in service leaves
#   capacity    TIME RATE ..., over and over if capacity_period is not 0
#   bad         TIME 1, TIME 0 ...: from here to there all packets are lost
#   drops       numbers of packets, from 0, that are lost
#   handoffs    TIME {}, TIME {} ...: the next first transmissions are lost or late
#   delays      of the path beyond the bottleneck, one after each hand-off, over and over
#
# Sender -> base -> (queue, server, losses, hand-offs) -> away -> receiver -> sender. What is not the
# bottleneck is as good as infinitely fast; the ACKs come back at once: `backward` holds all of the
# delay beyond the bottleneck. Their few nanoseconds have a packet arrive after one that leaves the
# queue at the same time: where the round trip is a multiple of a packet's time, many do.

set infinite 1e12
set endless 10000000
set endless_transfer 1000000000

set ns [new Simulator]
$defaultRNG seed $given(seed)
foreach name {sender base away receiver} {
    set $name [$ns node]
}
$ns simplex-link $sender $base $infinite $given(forward) DropTail
$ns simplex-link $base $away $given(rate) 0 DropTail
$ns simplex-link $away $receiver $infinite $given(backward) DropTail
$ns simplex-link $receiver $sender $infinite 0 DropTail
foreach {from to} [list $sender $base $away $receiver $receiver $sender] {
    $ns queue-limit $from $to $endless
}
set bottleneck [$ns link $base $away]
set server [$bottleneck link]
set last_mile [[$ns link $away $receiver] link]

# Do something with each value of a timetable at its time; ns-2 holds no more than the next one.
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

# ns-2's queue holds one packet less than its limit and so counts the one in service; a Delayer
# holds one more.
set limit $given(buffer)
if {[llength $spikes]} {
    set delayer [new Delayer]
    $ns insert-delayer $base $away $delayer
    incr limit -1
    play spikes 0 $delayer
}
$ns queue-limit $base $away $limit
play capacity $capacity_period "$server set bandwidth_"

# Put an element behind the server, before what follows it there.
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

# A hand-off hits the next first transmissions. Whether a packet is one is known where it is sent,
# and that it has passed the queue is known behind the server: there is a watch at each place, from
# a hand-off until all that it hits has passed. `sent` has the number of the hand-off after which a
# packet was sent, negative for a retransmission.
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
# Return whether the hand-off hits a packet that comes out of the server.
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
        # What is lost on the link was hit all the same.
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

# `run` resets the agents, and with them ssthresh_.
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
