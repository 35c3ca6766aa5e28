# usage: ns ns.tcl key value ...
array set o {variant Newreno bw 10Mb fwd 25ms bwd 25ms mss 1000 buffer 100 loss 0 seed 1 warm 50 time 500 window 100000 plainnr 0 limited 1 tick 0.01 minrto 0.2}
array set o $argv
set ns [new Simulator]
set n0 [$ns node]; set n1 [$ns node]; set n2 [$ns node]
# access link: infinitely fast, forward delay; bottleneck: rate, half of the rest each way
$ns simplex-link $n0 $n1 100Gb $o(fwd) DropTail
$ns simplex-link $n1 $n0 100Gb 0ms DropTail
$ns simplex-link $n1 $n2 $o(bw) 0ms DropTail
$ns simplex-link $n2 $n1 100Gb $o(bwd) DropTail
$ns queue-limit $n1 $n2 $o(buffer)
$ns queue-limit $n2 $n1 1000000
$ns queue-limit $n0 $n1 1000000
$defaultRNG seed $o(seed)
if {$o(loss) > 0} {
  set em [new ErrorModel]; $em unit pkt; $em set rate_ $o(loss)
  set rv [new RandomVariable/Uniform]; $em ranvar $rv; $em drop-target [new Agent/Null]
  $ns link-lossmodel $em $n0 $n1
}
set v $o(variant)
if {$v == "OldTahoe"} {set tcp [new Agent/TCP]; $tcp set noFastRetrans_ true} elseif {$v == "Tahoe"} {set tcp [new Agent/TCP]} else {set tcp [new Agent/TCP/$v]}
if {$v == "Sack1"} {set sink [new Agent/TCPSink/Sack1]} else {set sink [new Agent/TCPSink]}
$tcp set packetSize_ $o(mss); $tcp set window_ $o(window); $tcp set maxcwnd_ 0; $tcp set windowInit_ 1
$tcp set tcpTick_ $o(tick); $tcp set minrto_ $o(minrto); $tcp set useHeaders_ false; $tcp set singledup_ $o(limited)
$tcp set timestamps_ false; $tcp set maxrto_ 64; $tcp set overhead_ 0; $tcp set ssthresh_ 0
if {$v == "Newreno" && $o(plainnr)} {$tcp set newreno_changes_ 0; $tcp set newreno_changes1_ 0; $tcp set partial_window_deflation_ 0}
$ns attach-agent $n0 $tcp; $ns attach-agent $n2 $sink; $ns connect $tcp $sink
set ftp [new Application/FTP]; $ftp attach-agent $tcp
$ns at 0 "$ftp start"
proc mark {} { global tcp a0 ; set a0 [list [$tcp set ack_] [$tcp set ndatapack_] [$tcp set nrexmit_]] }
proc done {} { global tcp a0 o ns
 set d [expr [$tcp set ack_]-[lindex $a0 0]]
 puts "[expr double($d)/$o(time)] [expr [$tcp set ndatapack_]-[lindex $a0 1]] [expr [$tcp set nrexmit_]-[lindex $a0 2]]"
 exit 0 }
$ns at $o(warm) mark
$ns at [expr $o(warm)+$o(time)] done
$ns run
