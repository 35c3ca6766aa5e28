# C(t) as the variable-capacity study makes it: what a flow of higher priority leaves of the rate.
# Comes before the last line of connection.tcl, whose bottleneck must have a dsRED/edge queue.
#
#   flow         TIME RATE ..., over and over
#   flow_period  seconds after which they repeat

set queue [[$ns link $base $away] queue]
$queue set numQueues_ 2
$queue setNumPrec 1
$queue setSchedularMode PRI
$queue setMREDMode DROP
$queue meanPktSize [$tcp set packetSize_]
# Each queue holds so many waiting packets: all that there are while one of the flow's is served.
# ns-2 divides by what the last three numbers say.
$queue configQ 0 0 $endless [expr {2 * $endless}] 1
$queue configQ 1 0 $given(buffer) [expr {$given(buffer) + 1}] 1
foreach {from to code} [list $base $away 10 $sender $receiver 20] {
    $queue addPolicyEntry [$from id] [$to id] Null $code
}
$queue addPolicerEntry Null 10
$queue addPolicerEntry Null 20
$queue addPHBEntry 10 0 0
$queue addPHBEntry 20 1 0

set source [new Agent/UDP]
set drain [new Agent/Null]
$ns attach-agent $base $source
$ns attach-agent $away $drain
$ns connect $source $drain
set taken [new Application/Traffic/CBR]
$taken set packetSize_ 50
$taken attach-agent $source

# Without a rate the flow would wait for its next packet for ever.
proc take {rate} {
    global taken
    $taken set rate_ [expr {max($rate, 20e3)}]
}
take [lindex $flow 1]
$ns at 0 "$taken start"
play flow $flow_period take
