"""The typed records of a saved race, one class for each object in race/schema.json.

A record is built from decoded JSON with `from_json`, which raises ValueError naming the field that
is missing or of the wrong kind (TypeError when it is no object at all), and written back with
`as_json`. Fields that are not known are
ignored, so an older reader can open a file that only gained fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

SCHEMA = 1

Status = Literal["ok", "invalid", "overloaded", "failed"]
JSON = dict[str, Any]
_NUMBER = (int, float)


def _take(data: Mapping[str, Any], name: str, kinds: type | tuple[type, ...]) -> Any:
    if name not in data:
        raise ValueError(f"field '{name}' is missing")
    value = data[name]
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise ValueError(f"field '{name}' has the wrong type: {value!r:.60}")
    return value


def _maybe(data: Mapping[str, Any], name: str, kinds: type | tuple[type, ...]) -> Any:
    return None if data.get(name) is None else _take(data, name, kinds)


def _numbers(data: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A mapping of names to numbers; a null inside means "not measured" and is left out."""
    found = _maybe(data, name, dict) or {}
    return {key: _take(found, key, _NUMBER) for key, value in found.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Load:
    """What a cell was driven with: closed loop when `rate` is None, else `rate` requests/s."""

    generator: str
    connections: int
    threads: int = 1
    pipeline: int = 1
    rate: float | None = None
    duration_s: float = 2.0

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Load:
        return cls(
            generator=_take(data, "generator", str),
            connections=_take(data, "connections", int),
            threads=_take(data, "threads", int),
            pipeline=_take(data, "pipeline", int),
            rate=_maybe(data, "rate", _NUMBER),
            duration_s=_take(data, "duration_s", _NUMBER),
        )

    def describe(self) -> str:
        """One phrase for people: "100 connections, 24 requests pipelined"."""
        parts = [f"{self.connections} connections"]
        if self.pipeline > 1:
            parts.append(f"{self.pipeline} requests pipelined")
        if self.rate is not None:
            parts.append(f"{self.rate:,.0f} requests/s offered")
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Cell:
    """One contender on one page under one load in one pass of one round.

    Units are in the names; `seconds` is the measured length, `steal` and `foreign` are fractions of
    the machine's CPU time, `histogram` is pairs (upper bound in microseconds, count),
    `database_requests` is per page. `connections_used` is what `load.connections` was raised to,
    `busy_connections` how many the generator saw waiting on the mean (for Little's law). A cell
    that failed or was overloaded (offered a fixed rate that it did not keep up with) has None for
    every measurement, and `reason`.
    """

    round: int
    pass_: str
    order: int
    label: str
    engine: str
    python: str
    page: str
    load: Load
    started_at: str
    status: Status
    reason: str | None = None
    generator_bound: bool = False
    requests: int | None = None
    seconds: float | None = None
    rps: float | None = None
    bytes: int | None = None
    errors: dict[str, int] = field(default_factory=dict)
    latency_us: dict[str, float] = field(default_factory=dict)
    histogram: list[tuple[float, int]] = field(default_factory=list)
    cpu_ns: dict[str, int] = field(default_factory=dict)
    context_switches: dict[str, int] = field(default_factory=dict)
    rss_bytes: dict[str, int] = field(default_factory=dict)
    steal: float | None = None
    foreign: float | None = None
    database_requests: float | None = None
    connections_used: int | None = None
    busy_connections: float | None = None

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Cell:
        check_schema(data)
        cell = cls(
            round=_take(data, "round", int),
            pass_=_take(data, "pass", str),
            order=_take(data, "order", int),
            label=_take(data, "label", str),
            engine=_take(data, "engine", str),
            python=_take(data, "python", str),
            page=_take(data, "page", str),
            load=Load.from_json(_take(data, "load", dict)),
            started_at=_take(data, "started_at", str),
            status=_status(data),
            reason=_maybe(data, "reason", str),
            generator_bound=bool(data.get("generator_bound", False)),
            requests=_maybe(data, "requests", int),
            seconds=_maybe(data, "seconds", _NUMBER),
            rps=_maybe(data, "rps", _NUMBER),
            bytes=_maybe(data, "bytes", int),
            errors=_numbers(data, "errors"),
            latency_us=_numbers(data, "latency_us"),
            histogram=_histogram(data),
            cpu_ns=_numbers(data, "cpu_ns"),
            context_switches=_numbers(data, "context_switches"),
            rss_bytes=_numbers(data, "rss_bytes"),
            steal=_maybe(data, "steal", _NUMBER),
            foreign=_maybe(data, "foreign", _NUMBER),
            database_requests=_maybe(data, "database_requests", _NUMBER),
            connections_used=_maybe(data, "connections_used", int),
            busy_connections=_maybe(data, "busy_connections", _NUMBER),
        )
        if cell.status == "ok" and not (cell.rps and cell.rps > 0):
            raise ValueError("field 'rps' of a cell with status ok is not above zero")
        return cell

    def as_json(self) -> JSON:
        data = asdict(self)
        data["pass"] = data.pop("pass_")
        return {"schema": SCHEMA, **data}


def check_schema(data: object) -> None:
    """Raise when `data` is no JSON object, or of a version that this code does not read."""
    if not isinstance(data, Mapping):
        raise TypeError("not a JSON object")
    version = _take(data, "schema", int)
    if version != SCHEMA:
        raise ValueError(f"schema version {version} is not the version {SCHEMA} read here")


def _status(data: Mapping[str, Any]) -> Status:
    status: Status = _take(data, "status", str)
    if status not in get_args(Status):
        raise ValueError(f"field 'status' is '{status}', not {', '.join(get_args(Status))}")
    return status


def _histogram(data: Mapping[str, Any]) -> list[tuple[float, int]]:
    pairs = _maybe(data, "histogram", list) or []
    try:
        return [(float(upper), int(count)) for upper, count in pairs]
    except (TypeError, ValueError):
        raise ValueError("field 'histogram' is not a list of [upper_us, count]") from None


@dataclass(frozen=True, slots=True)
class Contender:
    """One line of a race: an engine on an interpreter; `aa` marks the A/A twin."""

    label: str
    engine: str
    python: str
    aa: bool = False

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Contender:
        return cls(
            label=_take(data, "label", str),
            engine=_take(data, "engine", str),
            python=_take(data, "python", str),
            aa=bool(data.get("aa", False)),
        )


@dataclass(frozen=True, slots=True)
class Rejected:
    """A round that was run again because a cell of it was invalid."""

    round: int
    reason: str

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Rejected:
        return cls(round=_take(data, "round", int), reason=_take(data, "reason", str))


@dataclass(frozen=True, slots=True)
class Head:
    """run.json: everything about a race but its cells."""

    run: str
    scenario: JSON
    seed: int
    started_at: str
    finished_at: str | None
    command: list[str]
    environment: JSON
    contenders: list[Contender]
    baseline: str
    rejected: list[Rejected] = field(default_factory=list)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Head:
        check_schema(data)
        return cls(
            run=_take(data, "run", str),
            scenario=_take(data, "scenario", dict),
            seed=_take(data, "seed", int),
            started_at=_take(data, "started_at", str),
            finished_at=_maybe(data, "finished_at", str),
            command=[str(word) for word in _take(data, "command", list)],
            environment=_take(data, "environment", dict),
            contenders=[Contender.from_json(item) for item in _take(data, "contenders", list)],
            baseline=_take(data, "baseline", str),
            rejected=[Rejected.from_json(item) for item in data.get("rejected") or []],
        )

    def as_json(self) -> JSON:
        return {"schema": SCHEMA, **asdict(self)}
