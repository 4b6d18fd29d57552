"""Tool calls in replies: what all notations share, the notations that there are, one scan for all.

A new notation is a module in `replies/notations` with `NOTATIONS`, and a folder of cases.
"""
