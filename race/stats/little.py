"""Little's law, the check that a closed-loop cell measured what it says.

In a closed loop each connection always waits for an answer, so the requests under way, L = lambda W
(the sum of all latencies over the duration), must be as many as the connections.
Source: J. D. C. Little, Operations Research 9 (1961) 383-387, doi:10.1287/opre.9.3.383.
"""

from __future__ import annotations


def expected(connections: int, mean_latency_us: float, seconds: float) -> float:
    """Return how many connections of a closed loop wait for an answer that comes before the end.

    The end of a cell cuts off half a wait of each connection on average, which is in no latency.
    """
    return connections * (1 - min(1.0, mean_latency_us / 1e6 / seconds) / 2)


def utilisation(busy: float, connections: int, mean_latency_us: float, seconds: float) -> float:
    """Return the connections that were seen waiting over those `expected`.

    It is 1 when every connection always waits. Below 1, connections were refused, not accepted or
    starved, or the generator idled. Above 1, latencies are too long, or answers are missing from
    the count.
    """
    return busy / expected(connections, mean_latency_us, seconds)
