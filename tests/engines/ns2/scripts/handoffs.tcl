# plain: 7.51182 s in ns-2.
array set given {seed 1621709873 rate 100000.0 forward 0.05 backward 0.05 buffer 10000000 loss packets probability 0.0 before 0 agent TCP/Newreno sink TCPSink delays_acks 0 ack_delay 0.1 ssthresh 2 hit 3 late 0.2 transfer 0 begin 2.5118216247002567 end 7.511821624700257}
set tcp_settings {packetSize_ 1000 useHeaders_ false syn_ false delay_growth_ false timestamps_ false overhead_ 0 maxcwnd_ 0 window_ 100000000 windowInit_ 1 windowOption_ 1 numdupacks_ 3 singledup_ 0 noFastRetrans_ false tcpTick_ 0.01 minrto_ 0.5 maxrto_ 0.5 rtxcur_init_ 0.5}
set newreno_settings {newreno_changes_ 0 newreno_changes1_ 0 partial_window_deflation_ 0}
set spikes {}
set capacity {}
set capacity_period 0
set bad {}
set drops {8 9 13 14 15 52 53 54 55 56 67 79 81 82 83 84 100 122 123 129 163 164 170 171 172 173 190 191 192 196 197 198 199 218 219 230 245 246 247 300 323 324 325 344 401 402 403 444 468 476 505 506 511 677 683 733 772 780 817 818 820 848 849 874 875 878 901 902 903 978 979 996 997 998 1011 1024 1025 1049 1061 1062 1063 1064 1065 1066 1067 1068 1069 1076 1098 1128 1145}
set handoffs {2.2883192254392677 {} 4.288319225439268 {} 6.288319225439268 {}}
set delays {0.02 0.1}

