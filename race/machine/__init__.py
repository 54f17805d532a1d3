"""The machine: cores, processes, meters, versions."""
