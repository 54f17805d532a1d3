"""Extra cells after a race, in which contenders are looked at while they run."""
