"""What the contenders of an application write to: a private database for each, made from one
template, or what the user's own commands make.

`keeper` is the process that owns the databases, `state` what the race asks of it.
"""
