"""Many comparisons at once."""

from __future__ import annotations

from collections.abc import Sequence


def adjust(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values, in the order given.

    With p sorted ascending, the i-th of m becomes max over j <= i of (m - j + 1) * p_j, at most 1.
    Calling those at or under alpha significant keeps the chance of even one false call under
    alpha, whatever the dependence. Source: S. Holm, Scand. J. Stat. 6 (1979) 65-70.
    """
    m = len(p_values)
    adjusted = [1.0] * m
    largest = 0.0
    for place, index in enumerate(sorted(range(m), key=lambda i: p_values[i])):
        largest = max(largest, (m - place) * p_values[index])
        adjusted[index] = min(1.0, largest)
    return adjusted
