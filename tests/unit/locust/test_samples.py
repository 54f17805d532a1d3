"""Samples of server and database: the file of the contract, the tab's rows, the charts."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

from locustfiles.charts import line_chart, scale
from locustfiles.run.samples import FIGURES, Samples, charts, rows


def sample(time: float, **figures: float | None) -> dict[str, float | None]:
    return {"time": time, **dict.fromkeys(FIGURES), **figures}


def test_a_file_is_read_as_it_grows(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    samples = Samples(str(path))
    assert samples.since(0) == []
    path.write_text(json.dumps(sample(1)) + "\nno sample\n[]\n{}\n" + '{"time": 2')
    assert [one["time"] for one in samples.since(0)] == [1]
    with path.open("a") as file:
        file.write("}\n" + json.dumps(sample(9)) + "\n")
    assert [one["time"] for one in samples.since(0)] == [1, 2, 9]
    assert [one["time"] for one in samples.since(2, 8)] == [2]
    assert Samples("").since(0) == []


def test_rows_have_now_mean_and_highest() -> None:
    found = rows([sample(1, server_cpu=0.5, waiting=7), sample(2, server_cpu=1.0)])
    shown = {row["name"]: [row[key] for key in ("now", "mean", "highest")] for row in found}
    assert shown["server CPU (of one core)"] == ["100%", "75%", "100%"]
    assert shown["pages waiting for a connection"] == ["-", "7", "7"]
    assert shown["database CPU (of one core)"] == ["-"] * 3
    assert len(rows([])) == len(FIGURES)


def test_charts_are_whole_and_break_where_nothing_is_known() -> None:
    assert charts([]) == ""
    drawn = charts([sample(5, waiting=1), sample(6), sample(7, waiting=2), sample(8, waiting=3)])
    pictures = ET.fromstring(f"<all>{drawn}</all>")  # noqa: S314 - our own
    assert len(pictures) == len(FIGURES) - 1
    waiting = next(one for one in pictures if "waiting" in one.attrib["aria-label"])
    lines = [one for one in waiting.iter() if one.attrib.get("fill") == "none"]
    assert len(lines) == 2


def test_an_axis_has_round_values_and_holds_the_most() -> None:
    assert scale(0) == [0, 1]
    assert scale(70) == [0, 20, 40, 60, 80]
    assert scale(0.009) == [0, 0.0025, 0.005, 0.0075, 0.01]
    assert scale(100) == [0, 25, 50, 75, 100]


def test_long_times_are_minutes_and_hours() -> None:
    assert ">300 s<" in line_chart("a", {"b": [(0, 1), (300, 1)]})
    assert ">20 min<" in line_chart("a", {"b": [(0, 1), (1200, 1)]})
    assert ">8 h<" in line_chart("a", {"b": [(0, 1), (8 * 3600, 1)]})
    assert "&lt;a&gt;" in line_chart("<a>", {"b": []})
