"""TCP sender of current kernels, whose features can be switched on or off one by one.

Each outstanding packet has marks (`marks`), and the timer is of one of three kinds (`timers`).
`machine` implements the four states of loss recovery. Other modules implement the detection of
losses (`duplicates`, `rack`, `probe`), the reduction of the window (`reduction`), its growth
(`growth`), and the undoing of unnecessary reductions (`undo`, `f_rto`).

In all modules `s` and `r` are the records of sender and receiver, `a` are the arrays of the run,
and `now` is the time in ticks.
"""
