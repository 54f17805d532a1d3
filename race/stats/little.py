"""Little's law, the check that a closed-loop cell measured what it says.

Source: J. D. C. Little, Operations Research 9 (1961) 383-387.
"""

from __future__ import annotations

TOLERANCE = 0.15


def in_flight(rps: float, mean_latency_us: float) -> float:
    """Mean number of requests under way, L = lambda * W."""
    return rps * mean_latency_us / 1e6


def utilisation(rps: float, mean_latency_us: float, connections: int, pipeline: int = 1) -> float:
    """Requests under way by Little's law over those the closed loop keeps under way.

    1 when every connection always waits for its `pipeline` answers. Below: the generator idled or
    latencies were left out. Above: latencies are too long or requests were lost from the count.
    """
    return in_flight(rps, mean_latency_us) / (connections * pipeline)


def holds(
    rps: float,
    mean_latency_us: float,
    connections: int,
    pipeline: int = 1,
    tolerance: float = TOLERANCE,
) -> bool:
    """Whether `utilisation` is 1 within `tolerance`."""
    return abs(utilisation(rps, mean_latency_us, connections, pipeline) - 1) <= tolerance
