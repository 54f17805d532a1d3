"""The whole curve of every load shape, second by second."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from locustfiles.shapes import SHAPES
from locustfiles.shapes.drawing import FOLDER, bending, drawing
from locustfiles.shapes.plan import curve, extent, planned
from locustfiles.shapes.ramp import Ramp
from locustfiles.shapes.totals import Totals
from locustfiles.shapes.trace import TRACES
from locustfiles.shapes.values import WrongField
from runtime.paths import ROOT


def users(name: str, **fields: str) -> list[int]:
    return curve(planned(SHAPES[name], fields), lambda users: Totals())


def test_steps_are_those_of_the_article() -> None:
    counts = users("Steps")
    assert counts[:12] == list(range(2, 26, 2))
    assert counts[12:80] == [25] * 68
    assert counts[80:93] == [*range(27, 51, 2), 50]
    assert counts[92:160] == [50] * 68
    assert counts[160:170] == list(range(52, 72, 2))
    assert counts[170:240] == [70] * 70
    assert counts[240:] == [*range(68, -1, -2), *[0] * 5]
    assert len(counts) == 280


def test_steps_of_ones_own() -> None:
    counts = users("Steps", steps_stages="4:3, 10:2m 0:5s", steps_rate="3")
    assert counts == [3, 4, 4, 7, 10, *[10] * 118, 7, 4, 1, 0, 0]
    assert users("Steps", steps_stages="2:6", steps_rate="0.5") == [0, 1, 1, 2, 2, 2]


def test_spike() -> None:
    assert users("Spike") == [10] * 60 + [100] * 20 + [10] * 60
    fields = {"spike_base": "1", "spike_peak": "7", "spike_before": "2", "spike_during": "1"}
    assert users("Spike", **fields, spike_after="3") == [1, 1, 7, 1, 1, 1]


def test_wave() -> None:
    counts = users("Wave", wave_low="0", wave_high="10", wave_period="8", wave_time="20s")
    turn = [0, 1, 5, 9, 10, 9, 5, 1]
    assert counts == (turn * 3)[:20]
    counts = users("Wave")
    assert len(counts) == 300
    assert (min(counts), max(counts)) == (5, 50)
    assert counts[0] == counts[60] == counts[240] == 5
    assert counts[30] == counts[90] == 50


def test_soak() -> None:
    counts = users("Soak", soak_users="4", soak_ramp="8", soak_time="5")
    assert counts == [1, 1, 1, 2, 2, 3, 3, 4, *[4] * 5, 4, 3, 3, 2, 2, 1, 1, 0]
    counts = users("Soak")
    assert len(counts) == 60 + 7200 + 60
    assert set(counts[60:7260]) == {30}


def test_trace_replays_its_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("seconds,users\n0,3\n\n2, 5\n3,0\n6,9\n")
    assert users("Trace", trace_file=str(path)) == [3, 3, 5, 0, 0, 0]


def test_the_trace_of_the_project_is_found_by_its_name() -> None:
    counts = users("Trace")
    rows = (TRACES / "day.csv").read_text().splitlines()[1:]
    assert len(counts) == int(rows[-1].partition(",")[0])
    assert max(counts) == max(int(row.partition(",")[2]) for row in rows)


def ramp(**fields: str) -> Ramp:
    plan = planned(Ramp, {f"ramp_{name}": value for name, value in fields.items()})
    assert isinstance(plan, Ramp)
    return plan


def test_ramp_stops_where_the_site_bends() -> None:
    plan = ramp()
    counts = curve(plan, bending)
    assert counts == [number for number in range(5, 70, 5) for _ in range(20)]
    found = "the knee is at 60 users (60.0 requests/s, p95 40 ms): with 65 users p95 was 900 ms, "
    assert plan.finding() == found + "over 500 ms, so between 60 and 65 users"


def test_ramp_stops_at_failures() -> None:
    plan = ramp(first="10", step="10", time="6s", ratio="5%")
    counts = curve(plan, lambda number: Totals(100, number // 4, {10: 100}))
    assert counts == [10] * 6 + [20] * 6 + [30] * 6
    assert "at 20 users" in str(plan.finding())
    assert "7.0% failed, over 5.0%" in str(plan.finding())


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (Totals(), "no knee: with 5 users, the fewest, no request was answered in 6 s"),
        (
            Totals(10, 0, {900: 10}),
            "no knee: with 5 users, the fewest, p95 was 900 ms, over 500 ms",
        ),
    ],
)
def test_ramp_that_never_held(answer: Totals, found: str) -> None:
    plan = ramp(time="6")
    assert curve(plan, lambda number: answer) == [5] * 6
    assert plan.finding() == found


def test_ramp_that_nothing_stops_ends_at_the_most() -> None:
    plan = ramp(first="3", step="4", time="6", most="9")
    assert curve(plan, lambda number: Totals(5, 0, {3: 5})) == [3] * 6 + [7] * 6 + [9] * 6
    assert plan.finding() == "no knee up to 9 users (5.0 requests/s, p95 3 ms)"


def test_ramp_judges_each_step_by_its_own_requests() -> None:
    """A thousand quick requests before do not hide slow ones."""
    slow, quick = Totals(1, 0, {2000: 1}), Totals(999, 0, {1: 999})
    counts = curve(ramp(time="6"), lambda number: slow if number > 5 else quick)
    assert counts == [5] * 6 + [10] * 6


def test_percentiles_are_nearest_ranks() -> None:
    load = Totals(20, 0, {10: 18, 70: 1, 900: 1})
    assert [load.percentile(part) for part in (0.5, 0.9, 0.95, 0.96, 1.0)] == [10, 10, 70, 900, 900]
    assert Totals().percentile(0.95) is None


@pytest.mark.parametrize(
    ("name", "fields", "said"),
    [
        ("Steps", {"steps_stages": "25"}, "steps_stages: '25' is no stage: users:time"),
        ("Steps", {"steps_stages": " , "}, "steps_stages: no stages"),
        ("Steps", {"steps_stages": "x:5"}, "steps_stages: 'x' is no number of users: 0 to 100000"),
        ("Steps", {"steps_stages": "5:0"}, "steps_stages: '0' is no time"),
        ("Steps", {"steps_stages": "5:1x"}, "steps_stages: '1x' is no time"),
        (
            "Steps",
            {"steps_stages": "5:9 50:10"},
            "stage 2 has 10 s, and from 5 to 50 users it takes 22 s at 2 a second",
        ),
        ("Steps", {"steps_rate": "0"}, "steps_rate: '0' is no rate: a number above 0"),
        ("Steps", {"steps_rate": "nan"}, "steps_rate: 'nan' is no rate"),
        ("Spike", {"spike_peak": "-3"}, "spike_peak: '-3' is no number of users: 1 to 100000"),
        ("Spike", {"spike_peak": "9" * 5000}, "is no number of users"),
        ("Spike", {"spike_during": "8d"}, "spike_during: '8d' is no time"),
        ("Wave", {"wave_low": "50"}, "wave_low: 50 users are not fewer than wave_high, 50"),
        ("Soak", {"soak_time": "9" * 30 + "h"}, "is no time"),
        ("Soak", {"soak_time": "1000h"}, "up to 7 days"),
        ("Ramp", {"ramp_time": "2s"}, "ramp_time: 2 s are too short, at least 6 s"),
        ("Ramp", {"ramp_first": "600"}, "ramp_first: 600 users are more than ramp_most, 500"),
        ("Ramp", {"ramp_limit": "fast"}, "ramp_limit: 'fast' is no time: as in 500ms or 1.5s"),
        ("Ramp", {"ramp_ratio": "101%"}, "ramp_ratio: '101%' is no share: as in 1% or 0.01"),
        ("Trace", {"trace_file": "missing.csv"}, "trace_file: missing.csv: no such file"),
        ("Trace", {"trace_file": "/dev/zero"}, "trace_file: /dev/zero: no such file"),
        ("Trace", {"trace_file": "x" * 300}, "trace_file: x"),
        ("Trace", {"trace_file": "a\0b"}, "trace_file: a"),
    ],
)
def test_a_wrong_field_is_one_line_that_names_it(
    name: str, fields: dict[str, str], said: str
) -> None:
    with pytest.raises(WrongField) as error:
        planned(SHAPES[name], fields)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0,1\n5,x\n", "line 2: 'x' is no number of users: 0 to 100000"),
        ("seconds,users\n0,1\n0.5,2\n", "line 3: '0.5' is no number of seconds"),
        ("0,1\n3,4\n\n3,5\n", "line 4: second 3 is not after 3"),
        ("0,1\n3\n", "line 2: 1 columns, not two: seconds,users"),
        ("5,1\n6,1\n", "line 1: begins at second 5, not at 0"),
        ("0,1\n", "needs two lines of seconds,users at least"),
        ("", "is empty, or over 1,048,576 bytes"),
        ("0,1\n9,100001\n", "line 2: '100001' is no number of users"),
    ],
)
def test_a_bad_trace_names_its_line(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(WrongField) as error:
        planned(SHAPES["Trace"], {"trace_file": str(path)})
    assert said in str(error.value)


def test_a_trace_in_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(b"0,1\n\xff\xfe")
    with pytest.raises(WrongField, match="cannot be read as text in UTF-8"):
        planned(SHAPES["Trace"], {"trace_file": str(path)})


@pytest.mark.parametrize("name", SHAPES)
def test_fields_are_named_for_the_page_and_described_with_their_defaults(name: str) -> None:
    lines = (ROOT / "docs" / "locust.md").read_text(encoding="utf-8").splitlines()
    (row,) = (line for line in lines if line.startswith(f"| `{name}` | !["))
    for field in SHAPES[name].FIELDS:
        assert re.fullmatch(r"[a-z]+(_[a-z]+)+", field.name)
        assert "%" not in field.help
        assert field.default in row.partition(f"`{field.name}`")[2].partition("_")[0]


@pytest.mark.parametrize("name", SHAPES)
def test_the_drawings_are_those_of_the_curves(name: str) -> None:
    """Otherwise run `python -m locustfiles.shapes.drawing`."""
    drawn = (ROOT / FOLDER / f"{name.lower()}.svg").read_text(encoding="utf-8")
    assert drawn == drawing(name)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Steps", "up to 70 users, 280 s"),
        ("Spike", "up to 100 users, 140 s"),
        ("Ramp", "until a limit is passed"),
    ],
)
def test_the_extent_of_a_shape(name: str, said: str) -> None:
    assert extent(planned(SHAPES[name], {})) == said
