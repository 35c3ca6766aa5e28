"""Models of BBR version 1 by this project, for random loss and for a varying capacity C(t).

The facts are those of Linux's tcp_bbr.c and of Cardwell et al., ACM Queue 14(5), 2016.
"""
