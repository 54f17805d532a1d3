"""The state that an application writes to: a private database for each contender, made from one
template, or what the user's own commands make.

`process` is what owns the databases, `state` what the race asks of it.
"""
