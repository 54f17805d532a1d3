"""Histograms, Little's law, and the text of ratios, against examples worked by hand."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from race.stats import histogram, little
from race.stats.estimate import Estimate, show_ratio


def test_percentiles_of_merged_histograms_by_hand() -> None:
    # 99 fast requests in one cell, 1 of 1 slow in the other: together p50 and p99 are fast and
    # p99.9 is slow, while the mean of the two medians (5050) was never seen by anyone.
    merged = histogram.merge([[(100.0, 60), (200.0, 39)], [(10_000.0, 1)]])
    assert merged == [(100.0, 60), (200.0, 39), (10_000.0, 1)]
    assert histogram.percentile(merged, 50) == 100
    assert histogram.percentile(merged, 60) == 100
    assert histogram.percentile(merged, 60.1) == 200
    assert histogram.percentile(merged, 99) == 200
    assert histogram.percentile(merged, 99.9) == 10_000
    assert histogram.percentile(merged, 100) == 10_000
    assert histogram.percentile([], 50) is None


def test_percentile_agrees_with_numpy() -> None:
    values = np.sort(np.random.default_rng(3).integers(1, 500, 999)).astype(float)
    merged = histogram.merge([[(value, 1)] for value in values])
    for percent in (1, 25, 50, 90, 99, 99.9):
        expected = np.percentile(values, percent, method="inverted_cdf")
        assert histogram.percentile(merged, percent) == expected


def test_littles_law_by_hand() -> None:
    # 5,000 requests/s of 20 ms each are 100 under way: all of 100 connections, half of 200.
    # Of 100 connections the end of one second cuts off half a wait of 0.2 s each: 10 are not seen.
    assert little.expected(100, 200_000, 1.0) == pytest.approx(90)
    assert little.utilisation(45, 100, 200_000, 1.0) == pytest.approx(0.5)
    # A wait as long as the cell: half of it is seen at most.
    assert little.expected(100, 5e6, 1.0) == 50


@pytest.mark.parametrize(
    ("ratio", "text"), [(0.968, "0.97"), (1.084, "1.08"), (3.14, "3.1"), (1234.5, "1,234")]
)
def test_ratios_are_shown_with_few_digits(ratio: float, text: str) -> None:
    assert show_ratio(ratio) == text


@pytest.mark.parametrize(
    ("ratio", "low", "high", "text"),
    [
        # Half-width 0.05: a tenth of it is 0.005, so three decimals.
        (1.3127, 1.2628, 1.3622, "1.313× [1.262, 1.363]"),
        (0.9712, 0.9651, 0.9773, "0.9712× [0.9651, 0.9773]"),
        (1.15, 0.15, 2.15, "1.15× [0.15, 2.15]"),  # 1.15 / 0.01 is 114.99999999999999
        (3.1, 2.11, 4.19, "3.1× [2.1, 4.2]"),
        (31.04, 21.04, 41.06, "31× [21, 42]"),
        (1500.4, 1200.4, 1800.6, "1,500× [1,200, 1,801]"),
        (1.0, 1.0, 1.0, "1.00× [1.00, 1.00]"),
    ],
)
def test_intervals_are_rounded_outwards(ratio: float, low: float, high: float, text: str) -> None:
    middle, least, most = (math.log(one) for one in (ratio, low, high))
    assert str(Estimate(middle, least, most, 9)) == text


def _bare(estimate: Estimate) -> str:
    """Return the text without thousands separators."""
    return re.sub(r"(?<=\d),(?=\d)", "", str(estimate))


def test_what_is_printed_holds_what_was_computed_and_hardly_more() -> None:
    random = np.random.default_rng(1)
    for value, half in zip(random.normal(0, 1.5, 500), random.exponential(0.1, 500), strict=True):
        estimate = Estimate(value, value - half, value + half, 9)
        _, low, high = (float(number) for number in re.findall(r"\d[\d.]*", _bare(estimate)))
        true_low, true_high = math.exp(estimate.low), math.exp(estimate.high)
        width = true_high - true_low
        assert low <= true_low * (1 + 1e-9)
        assert high >= true_high * (1 - 1e-9)
        assert high - low <= 1.11 * width
