"""Models of BBR version 1 by this project: random loss (`random_loss`), and any C(t) (`fluid`).

The facts are those of Linux's tcp_bbr.c and of Cardwell et al., ACM Queue 14(5), 2016.
"""
