"""The plan of a race: contenders, works, their order and the time that they take."""
