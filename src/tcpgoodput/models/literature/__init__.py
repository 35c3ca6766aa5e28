"""Goodput formulas of other papers, which the five studies use or are compared with."""
