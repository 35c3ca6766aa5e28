# One TCP connection in ns-2.35, as a scenario of the vocabulary describes it, without trace files.
#
#   ns connection.tcl KEY VALUE ...
#
# prints, for the time from `warm` to `warm + time`: packets acknowledged per second, packets sent,
# retransmissions. Delays in seconds, rates in bit/s, sizes in bytes, the buffer in packets.
#
#   schedule FILE   lines of `TIME block`, `TIME unblock`, `TIME rate BPS`: the bottleneck stands
#                   still, goes on, changes its rate
#   drops FILE      numbers of packets, from 0 and rising, that are lost before the bottleneck

array set given {
    variant Newreno rate 1e7 forward 0.025 backward 0.025 mss 1000 buffer 100 window 100000
    loss 0 seed 1 warm 50 time 500 limited 1 plain 0 tick 0.01 minrto 0.2 maxrto 64
    schedule "" drops ""
}
array set given $argv

proc lines {file} {
    if {$file == ""} {
        return {}
    }
    set channel [open $file]
    set text [read $channel]
    close $channel
    return [split [string trim $text] "\n"]
}

set ns [new Simulator]
$defaultRNG seed $given(seed)
set sender [$ns node]
set bottleneck [$ns node]
set receiver [$ns node]
# Access and return links are as good as infinitely fast; the bottleneck has no delay of its own.
$ns simplex-link $sender $bottleneck 1000Gb $given(forward) DropTail
$ns simplex-link $bottleneck $sender 1000Gb 0 DropTail
$ns simplex-link $bottleneck $receiver $given(rate) 0 DropTail
$ns simplex-link $receiver $bottleneck 1000Gb $given(backward) DropTail
$ns queue-limit $sender $bottleneck 10000000
$ns queue-limit $receiver $bottleneck 10000000
$ns queue-limit $bottleneck $receiver $given(buffer)

set server [[$ns link $bottleneck $receiver] link]
set delayer ""
set schedule [lines $given(schedule)]
if {[lsearch -regexp $schedule {block}] >= 0} {
    set delayer [new Delayer]
    $ns insert-delayer $bottleneck $receiver $delayer
}
if {$given(loss) > 0} {
    set errors [new ErrorModel]
    $errors unit pkt
    $errors set rate_ $given(loss)
    $errors ranvar [new RandomVariable/Uniform]
    $errors drop-target [new Agent/Null]
    $ns link-lossmodel $errors $sender $bottleneck
}
if {$given(drops) != ""} {
    set losses [new ErrorModel/List]
    $losses droplist [lines $given(drops)]
    $losses drop-target [new Agent/Null]
    $ns link-lossmodel $losses $sender $bottleneck
}

switch $given(variant) {
    OldTahoe { set tcp [new Agent/TCP]; $tcp set noFastRetrans_ true }
    Tahoe { set tcp [new Agent/TCP] }
    default { set tcp [new Agent/TCP/$given(variant)] }
}
set sink [new Agent/TCPSink]
if {$given(variant) == "Sack1"} {
    set sink [new Agent/TCPSink/Sack1]
}
foreach {key value} [list \
    packetSize_ $given(mss) window_ $given(window) maxcwnd_ 0 windowInit_ 1 useHeaders_ false \
    tcpTick_ $given(tick) minrto_ $given(minrto) maxrto_ $given(maxrto) timestamps_ false \
    singledup_ $given(limited) overhead_ 0 ssthresh_ 0] {
    $tcp set $key $value
}
if {$given(variant) == "Newreno" && $given(plain)} {
    $tcp set newreno_changes_ 0
    $tcp set newreno_changes1_ 0
    $tcp set partial_window_deflation_ 0
}
$ns attach-agent $sender $tcp
$ns attach-agent $receiver $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 0 "$ftp start"

foreach line $schedule {
    foreach {time what value} "$line 0" break
    switch $what {
        block - unblock { $ns at $time "$delayer $what" }
        rate { $ns at $time "$server set bandwidth_ $value" }
    }
}

proc counts {} {
    global tcp
    return [list [$tcp set ack_] [$tcp set ndatapack_] [$tcp set nrexmit_]]
}
proc begin {} {
    global before
    set before [counts]
}
proc finish {} {
    global before given
    foreach {acked sent again} [counts] {acked0 sent0 again0} $before break
    set pps [expr ($acked - $acked0) / double($given(time))]
    puts "$pps [expr $sent - $sent0] [expr $again - $again0]"
    exit 0
}
$ns at $given(warm) begin
$ns at [expr $given(warm) + $given(time)] finish
$ns run
