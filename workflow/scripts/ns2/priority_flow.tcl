# Vary the capacity as in the variable-capacity study: a flow of higher priority takes part of the rate.
# This text is inserted before the last line of connection.tcl, whose bottleneck must have a dsRED/edge queue.
#
#   flow         times in seconds and rates of the flow in bit/s: TIME RATE TIME RATE ...
#   flow_period  time in seconds after which `flow` repeats

set queue [[$ns link $base $away] queue]
$queue set numQueues_ 2
$queue setNumPrec 1
$queue setSchedularMode PRI
$queue setMREDMode DROP
$queue meanPktSize [$tcp set packetSize_]
# The third argument is the number of packets that a queue holds. While a packet of the flow is served, all
# packets of the connection wait. ns-2 divides by values that it computes from the last three numbers.
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

# Keep a small rate: with rate 0, the flow would never send its next packet.
proc take {rate} {
    global taken
    $taken set rate_ [expr {max($rate, 20e3)}]
}
take [lindex $flow 1]
$ns at 0 "$taken start"
play flow $flow_period take
