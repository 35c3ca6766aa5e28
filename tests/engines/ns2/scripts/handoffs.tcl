# plain: 7.51182 s in ns-2.
array set given {seed 1621709873 rate 100000.0 forward 0.05 backward 0.05 buffer 10000000 cross_bits 0 loss packets probability 0.0 before 0 agent TCP/Newreno sink TCPSink delays_acks 0 ack_delay 0.1 ssthresh 2 hit 3 late 0.2 transfer 0 begin 2.5118216247002567 end 7.511821624700257}
set tcp_settings {packetSize_ 1000 useHeaders_ false syn_ false delay_growth_ false timestamps_ false overhead_ 0 maxcwnd_ 0 window_ 100000000 windowInit_ 1 windowOption_ 1 numdupacks_ 3 singledup_ 0 noFastRetrans_ false tcpTick_ 0.01 minrto_ 0.5 maxrto_ 0.5 rtxcur_init_ 0.5}
set newreno_settings {newreno_changes_ 0 newreno_changes1_ 0 partial_window_deflation_ 0}
set spikes {}
set capacity {}
set capacity_period 0
set bad {}
set drops {8 12 49 50 51 52 53 64 65 66 78 80 96 118 124 125 126 160 166 183 184 185 186 190 191 210 221 236 289 312 313 332 333 390 431 432 433 457 458 459 467 468 469 470 499 500 505 506 672 678 728 767 768 769 770 771 779 780 817 818 819 820 821 823 851 852 853 878 881 904 979 980 997 998 1011 1024 1048 1049 1061 1062 1063 1064 1065 1072 1094 1095 1096 1126 1143}
set handoffs {2.2883192254392677 {} 4.288319225439268 {} 6.288319225439268 {}}
set delays {0.02 0.1}

