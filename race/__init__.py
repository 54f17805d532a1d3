"""The race: scenarios, servers, load and meters, saved results, statistics, reports."""
