# plain: 7.51182 s in ns-2.
array set given {seed 1621709873 rate 100000.0 forward 0.05 backward 0.05 buffer 10 cross_bits 0 loss independent probability 0.02 before 1 agent TCP/Sack1 sink TCPSink/Sack1 delays_acks 0 ack_delay 0.1 ssthresh 2 hit 0 late -1 transfer 0 begin 2.5118216247002567 end 7.511821624700257}
set tcp_settings {packetSize_ 1040 useHeaders_ false syn_ false delay_growth_ false timestamps_ false overhead_ 0 maxcwnd_ 0 window_ 5 windowInit_ 1 windowOption_ 1 numdupacks_ 3 singledup_ 1 noFastRetrans_ false tcpTick_ 0.01 minrto_ 0.2 maxrto_ 64.0 rtxcur_init_ 3.0}
set newreno_settings {newreno_changes_ 0 newreno_changes1_ 1 partial_window_deflation_ 1}
set spikes {1.2883192254392675 block 3.976037661743331 unblock 5.5673873171011214 block 5.816706866028346 unblock}
set capacity {}
set capacity_period 0
set bad {}
set drops {}
set handoffs {}
set delays {}

