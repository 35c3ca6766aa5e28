"""BBR version 1 as in Linux 6.18 (net/ipv4/tcp_bbr.c, tcp_rate.c): a sender that models its path.

Each ACK gives a sample of the delivery rate (`samples`). The largest rate of ten round trips is the
estimated bandwidth (`bandwidth`), unless a policer limits the rate (`policer`). The smallest round
trip of ten seconds is that of the path (`modes`). The pacing rate (`pacing`) and the window
(`cwnd`) are multiples of these estimates; the multiples, called gains, depend on the mode
(`modes`).
Cardwell et al., BBR: Congestion-Based Congestion Control, ACM Queue 14(5), 2016.

Names of the kernel's functions are in parentheses. Five things are simpler than in the kernel.
Estimates are floating-point numbers, and the times of ten seconds and of 200 ms are not rounded to
the kernel's clock ticks of 4 ms. The sender has always data to send, so it never restarts after a
pause (bbr_cwnd_event). Retransmissions leave in bursts, too (tcp_xmit_retransmit_queue). Bursts are
not longer on short round trips (tcp_tso_autosize). The round trip of the handshake is that of the
path without a packet's transmission (bbr_init).
"""
