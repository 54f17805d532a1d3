"""Statistics of a race: small pure functions, each with the source of its formula.

Everything compares on the log scale: a difference of logs is a ratio of rates, "twice" and "half"
are equally far from "equal", and drift that slows all contenders of a round cancels.
"""
