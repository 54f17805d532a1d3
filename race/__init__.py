"""The race harness: scenario, servers, load, meters, saved results, statistics, report."""
