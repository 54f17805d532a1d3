"""Scenarios: races as data, read from TOML and checked before anything starts.

Every key of a scenario file is a field of one of the classes here; an unknown key, engine or page
is refused with the nearest valid name.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from race.errors import RaceError, unknown
from race.paths import SCENARIOS
from race.web.load import GENERATORS
from race.web.pages import PAGES


@dataclass(frozen=True)
class LoadPlan:
    """How a page is driven. `pipeline` depths above 1 are used on pages that ask no database.

    Rates (requests/s) make the load open: `rates` are absolute, `rates_of_slowest` and
    `rates_of_own` are fractions of the capacity that a closed-loop cell found before.
    """

    generator: str = "wrk"
    connections: int = 100
    threads: int = 1
    pipeline: tuple[int, ...] = (1,)
    duration_s: float = 5.0
    rates: tuple[float, ...] = ()
    rates_of_slowest: tuple[float, ...] = ()
    rates_of_own: tuple[float, ...] = ()
    open_generator: str = "oha"
    open_duration_s: float = 5.0
    max_connections: int = 800


@dataclass(frozen=True)
class WarmUp:
    """Windows of load before a cell counts, until two in a row agree within `agreement`."""

    window_s: float = 0.5
    windows: int = 5
    agreement: float = 0.05


@dataclass(frozen=True)
class Validity:
    """Limits beyond which a cell says nothing; its whole round is then run again, at most `reruns`.

    `steal` and `foreign` are fractions of the measured cores' time, `errors` of the requests,
    `little` the difference between open connections and those seen busy; `samples` are requests.
    """

    steal: float = 0.02
    foreign: float = 0.05
    errors: float = 0.001
    samples: int = 200
    little: float = 0.15
    reruns: int = 3


@dataclass(frozen=True)
class Program:
    """A contender that is not server.py: `{root}` and `{python}` in its command are filled in.

    It must print server.py's `serving ...` line and end on SIGTERM.
    """

    command: tuple[str, ...]
    python: str | None = None
    database: str | None = None


@dataclass(frozen=True)
class Scenario:
    """One race. `engines` are names or shell patterns, `pythons` are versions (`3.12`) or `found`.

    `twin` is the engine that runs twice, as its own A/A control; empty means the baseline.
    """

    name: str
    title: str
    engines: tuple[str, ...]
    pages: tuple[str, ...]
    exclude: tuple[str, ...] = ()
    pythons: tuple[str, ...] = ()
    rounds: int = 4
    baseline: str | None = None
    twin: str | None = None
    time_limit_s: float | None = None
    port: int = 0
    load: LoadPlan = field(default_factory=LoadPlan)
    warmup: WarmUp = field(default_factory=WarmUp)
    validity: Validity = field(default_factory=Validity)
    programs: Mapping[str, Program] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """As loaded: what `from_json` accepts again."""
        data: dict[str, Any] = asdict(self)
        return data


def names() -> list[str]:
    """The ready-made scenarios."""
    return sorted(path.stem for path in SCENARIOS.glob("*.toml"))


def load(name: str) -> Scenario:
    """A ready-made scenario by name, or a TOML file by path."""
    path = Path(name) if name.endswith(".toml") else SCENARIOS / f"{name}.toml"
    if not name.endswith(".toml") and name not in names():
        raise unknown("scenario", name, names())
    try:
        data = tomllib.loads(path.read_text())
    except OSError as error:
        raise RaceError(f"cannot read {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RaceError(f"{path.name}: {error}") from None
    return from_json({"name": path.stem, **data})


def from_json(data: Mapping[str, Any]) -> Scenario:
    """Check decoded data and build the scenario; RaceError in one line otherwise."""
    scenario = _build(Scenario, data, "")
    programs = {
        label: _build(Program, program, f"programs.{label}.")
        for label, program in scenario.programs.items()
    }
    scenario = replace(scenario, programs=programs)
    _check(scenario)
    return scenario


def change(scenario: Scenario, changes: Mapping[str, Any]) -> Scenario:
    """The scenario with some keys replaced (`load.connections` for a nested one), checked again."""
    data = scenario.as_json()
    for key, value in changes.items():
        table, _, inner = key.rpartition(".")
        (data[table] if table else data)[inner] = value
    return from_json(data)


def _check(scenario: Scenario) -> None:
    for page in scenario.pages:
        if page not in PAGES:
            raise unknown("page", page, PAGES)
    for generator in (scenario.load.generator, scenario.load.open_generator):
        if generator not in GENERATORS:
            raise unknown("load generator", generator, GENERATORS)
    load_plan = scenario.load
    positive = {
        "rounds": scenario.rounds,
        "load.connections": load_plan.connections,
        "load.threads": load_plan.threads,
        "load.duration_s": load_plan.duration_s,
        "load.open_duration_s": load_plan.open_duration_s,
        "warmup.window_s": scenario.warmup.window_s,
        "warmup.windows": scenario.warmup.windows,
        "engines": len(scenario.engines),
        "pages": len(scenario.pages),
        "load.pipeline": min(load_plan.pipeline, default=0),
    }
    for key, value in positive.items():
        if value <= 0:
            raise RaceError(f"scenario {scenario.name}: {key} must be above zero, not {value:g}")
    if load_plan.connections < load_plan.threads:
        raise RaceError(f"scenario {scenario.name}: more load.threads than load.connections")


T = TypeVar("T")


def _build(cls: type[T], data: Any, where: str) -> T:
    """A dataclass from a table; keys, types and missing keys are checked."""
    if not isinstance(data, Mapping):
        raise RaceError(f"scenario key {where.rstrip('.')!r} must be a table")
    hints = get_type_hints(cls)
    for key in data:
        if key not in hints:
            raise unknown("scenario key", f"{where}{key}", [f"{where}{name}" for name in hints])
    for item in fields(cls):  # type: ignore[arg-type]
        if item.default is MISSING and item.default_factory is MISSING and item.name not in data:
            raise RaceError(f"scenario key '{where}{item.name}' is missing")
    return cls(**{key: _value(hints[key], value, f"{where}{key}") for key, value in data.items()})


def _value(kind: Any, value: Any, where: str) -> Any:
    if hasattr(kind, "__dataclass_fields__"):
        return value if isinstance(value, kind) else _build(kind, value, f"{where}.")
    origin = get_origin(kind)
    if origin is tuple and isinstance(value, list | tuple):
        return tuple(_value(get_args(kind)[0], item, where) for item in value)
    if origin is UnionType:
        return None if value is None else _value(get_args(kind)[0], value, where)
    plain = origin or kind
    accepted = (int, float) if plain is float else plain
    if not isinstance(value, accepted) or (isinstance(value, bool) and plain is not bool):
        wanted = getattr(plain, "__name__", str(plain))
        raise RaceError(f"scenario key {where!r} must be of type {wanted}, not {value!r}")
    return value
