"""A request of an application: its form in race.toml, the values in it, and its body."""
