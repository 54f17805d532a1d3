"""What the contenders of an application write to: a private database for each, made from one
template, or what the user's own commands make.

`process` is what owns the databases, `state` what the race asks of it.
"""
