"""The answer of a gate: for a terminal, a pull request, and CI."""

from __future__ import annotations

import math
from operator import attrgetter
from xml.sax.saxutils import escape, quoteattr

from race.app.gate.judge import Checked, Gate, Outcome
from race.console import Console
from race.report import format as words
from race.report import markdown as marked
from race.report.console import drawn, say
from race.report.table import PLAIN, TEXT, Column, ReportTable, fill


def headline(found: Gate) -> str:
    """Return what the gate says, in a sentence or two."""
    if fails := found.of(Outcome.FAILS):
        return f"{found.new} fails on {fails[0].task}: {fails[0].reason}."
    if slower := found.of(Outcome.SLOWER):
        named = words.listed([f"{one.name} ({text(one)})" for one in slower])
        return f"{found.new} is slower than {found.old} on {named}."
    limit = words.percent(found.limits.slower)
    if left := [one for one in found.of(Outcome.OPEN) if one.needed]:
        return f"Whether {found.new} is {limit} slower than {found.old} {_open(left)}."
    needed = [one for one in found.checks if one.needed]
    could = _percent(max(one.visible for one in needed))
    tasks = list(dict.fromkeys(one.task for one in needed))
    where = tasks[0] if len(tasks) == 1 else f"any of {len(tasks)} requests"
    return (
        f"{found.new} is not {limit} slower than {found.old} on {where}; "
        f"a slowdown of {could} would have been seen.{_beside(found)}"
    )


def _open(left: list[Checked]) -> str:
    if len(left) > 1 and all(math.isfinite(one.visible) for one in left):
        names = words.listed([f"{one.name} ({_percent(one.visible)})" for one in left])
        return f"on {names} is open: only a slowdown of so much or more would have been seen"
    seen = max(left, key=attrgetter("visible"))
    more = seen.reason and f": {seen.reason}"
    if math.isfinite(seen.visible):
        more = f": only a slowdown of {_percent(seen.visible)} or more would have been seen"
    return f"on {words.listed([one.name for one in left])} is open{more}"


def _beside(found: Gate) -> str:
    """Return what is known of a p99 that may stay open."""
    seen = [one.visible for one in found.checks if not one.needed]
    if not seen:
        return ""
    if not math.isfinite(max(seen)):
        return " Whether p99 is longer is not known."
    return f" Of p99 only {_percent(max(seen))} or more would have been seen."


def text(one: Checked) -> str:
    """Return a slowdown in percent with its interval: "12 % [9.1, 15] slower"."""
    if one.slowdown is None:
        return one.reason
    value = f"{_number(one.slowdown.value)} %"
    if not one.slowdown.bounded:
        return value
    return f"{value} [{_number(one.slowdown.low)}, {_number(one.slowdown.high)}]"


def _number(log: float) -> str:
    return f"{100 * math.expm1(log):+.1f}"


def _percent(log: float) -> str:
    return f"{100 * math.expm1(log):.1f} %"


def table(found: Gate) -> ReportTable:
    """Return every request with each slowdown and verdict."""
    columns = (
        Column("request", attrgetter("name"), TEXT),
        Column("slower by", text, PLAIN),
        Column("of", attrgetter("measure"), TEXT),
        Column("verdict", attrgetter("outcome"), TEXT),
    )
    return fill("", columns, found.checks)


def about(found: Gate) -> str:
    """Return how it was judged."""
    limit = words.percent(found.limits.slower)
    return (
        f"Slower by: how many percent more time {found.new} takes than {found.old}, with a "
        f"{100 * found.confidence:.1f} % interval. An alarm needs an interval above 0 and an "
        f"estimate of {limit} or more. Each commit ran in two processes. Of races of two equal "
        "contenders at most 5 % end with one, over all requests and measures together."
    )


def markdown(found: Gate) -> str:
    """Return the answer as a comment for a pull request."""
    parts = [f"**{marked.escape(headline(found))}**", marked.table(table(found))]
    return "\n\n".join([*parts, marked.escape(about(found))]) + "\n"


def junit(found: Gate) -> str:
    """Return the answer as JUnit's XML: a case for each check; one that is open is skipped."""
    cases = "".join(_case(one) for one in found.checks)
    counts = {
        "tests": len(found.checks),
        "failures": len(found.of(Outcome.SLOWER)) + len(found.of(Outcome.FAILS)),
        "skipped": len(found.of(Outcome.OPEN)),
    }
    numbers = " ".join(f'{name}="{number}"' for name, number in counts.items())
    return f'<?xml version="1.0"?>\n<testsuite name="race gate" {numbers}>\n{cases}</testsuite>\n'


def _case(one: Checked) -> str:
    kinds = {Outcome.SLOWER: "failure", Outcome.FAILS: "failure", Outcome.OPEN: "skipped"}
    said = f"{one.outcome}: {text(one)}"
    kind = kinds.get(one.outcome)
    inner = f"<{kind} message={quoteattr(said)}/>" if kind else ""
    inner = inner or f"<system-out>{escape(said)}</system-out>"
    return f"  <testcase name={quoteattr(one.name)}>{inner}</testcase>\n"


def show(found: Gate) -> None:
    """Print it to the terminal."""
    console = Console()
    say(console, headline(found), style="bold")
    console.print(drawn(table(found), ""))
    say(console, about(found))
