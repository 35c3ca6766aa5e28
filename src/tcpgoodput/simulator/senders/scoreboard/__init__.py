"""The sender of today's kernels: what it knows of each packet decides, switch by switch.

Each packet that is outstanding has marks (`marks`), each timer one of three meanings (`timers`).
`machine` goes through the four states of loss recovery; what finds a loss (`duplicates`, `rack`,
`probe`), how far the window falls (`reduction`), how it grows (`growth`) and what is taken back
(`undo`, `f_rto`) are modules of their own.
"""
