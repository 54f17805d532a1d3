"""Additions to Locust's HTML, and the version of Locust that they were checked with."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from locustfiles.run import locust_html
from locustfiles.run.locust_html import HEAD_END, ROOT, camel_case, marked, with_groups
from locustfiles.run.verdict import RunVerdict
from locustfiles.shapes import SHAPES

# Importing Locust would patch the whole process, so its files are found without that.
FOUND = importlib.util.find_spec("locust")
BUILT = Path(str(FOUND and FOUND.origin)).parent / "webui" / "dist"


def test_the_version_is_the_one_that_was_checked() -> None:
    """After an update: look at the page (groups of fields, tab) and the report (verdict, charts),
    then change CHECKED.
    """
    assert importlib.metadata.version("locust") == locust_html.CHECKED


@pytest.mark.parametrize("name", ["index.html", "report.html"])
def test_locusts_pages_have_the_places_that_we_fill(name: str) -> None:
    page = (BUILT / name).read_text(encoding="utf-8")
    assert page.count(ROOT) == 1
    assert page.count(HEAD_END) >= 1


def test_the_fields_of_each_shape_have_its_name_above_them() -> None:
    page = with_groups(f"<head></head><body>{ROOT}</body>", "a <b>")
    assert "The site runs on a &lt;b&gt;" in page
    for shape, kind in SHAPES.items():
        first = camel_case(kind.FIELDS[0].name)
        title = f'div:has(>div>input[name="{first}"])::before{{content:"{shape}";'
        assert page.count(title) == 1
    assert with_groups("another page", "x") == "another page"
    assert camel_case("steps_rate") == "stepsRate"


@pytest.mark.parametrize("reasons", [[], ["1 of 2 workers lost: a"]])
def test_the_report_has_engine_verdict_and_finding(reasons: list[str]) -> None:
    verdict = RunVerdict(reasons)
    lines = [f"Ramp on aiohttp-memory-one: {verdict}", "the knee is at <60>"]
    run: Any = SimpleNamespace(verdict=verdict, lines=lambda: lines, sampled=list)
    page = marked(f"before{ROOT}after", run)
    assert page.startswith("before<p")
    assert page.endswith(f"</p>{ROOT}after")
    assert f">Ramp on aiohttp-memory-one: {verdict}</p>" in page
    assert "the knee is at &lt;60&gt;" in page
    assert (locust_html.RED in page) == bool(reasons)
