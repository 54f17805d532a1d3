"""Questions to a runner and their answers; a failure is an answer too."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from typing import Any, Dict, Mapping, Optional, Tuple

from toolbench.driver import Address, Driver, Operation, Options, Unsupported
from toolbench.drivers import DRIVERS
from toolbench.runner import histogram
from toolbench.runner.crew import Crew
from toolbench.runner.tagged import plain, tagged
from toolbench.runner.timed import in_a_line

CLOSE_SECONDS = 3.0

Words = Dict[str, Any]


class Session:
    """One driver from ``open`` to its end. Between two questions the event loop stands still."""

    def __init__(self) -> None:
        self._crew: Optional[Crew] = None
        self._loop: Optional[asyncio.AbstractEventLoop] = None

    def answer(self, line: str) -> Optional[Words]:
        """What is answered to a line; None where it says that this is the end."""
        try:
            question = json.loads(line)
            return None if question["do"] == "end" else self._answer(question)
        except Unsupported as refusal:
            return {"unsupported": str(refusal)}
        except Exception as error:  # noqa: BLE001 - whatever it is, the other side must hear of it
            return {"error": in_a_line(error)}

    def close(self) -> None:
        """End all connections, broken ones too; bounded where the driver does not block."""
        loop, crew = self._loop, self._crew
        self._loop = self._crew = None
        if loop is None:
            return
        if crew is not None:
            with contextlib.suppress(Exception):
                loop.run_until_complete(asyncio.wait_for(crew.close(), CLOSE_SECONDS))
        loop.close()

    def _answer(self, question: Words) -> Words:
        does = question["do"]
        if does == "open":
            return self._open(question)
        if does not in ANSWERS:
            raise ValueError(f"unknown question {does!r}")
        if self._crew is None or self._loop is None:
            raise ValueError("nothing is open")
        return self._loop.run_until_complete(ANSWERS[does](self._crew, question))

    def _open(self, question: Words) -> Words:
        self.close()
        options = Options(**question["options"])
        self._loop = _new_loop(options.loop)
        driver: Driver = DRIVERS[question["driver"]].load()(Address(**question["address"]), options)
        crew = Crew(driver)
        self._loop.run_until_complete(crew.open(1))
        self._crew = crew
        return {"ready": True}


def _new_loop(name: str) -> asyncio.AbstractEventLoop:
    if name == "uvloop":
        import uvloop

        return uvloop.new_event_loop()
    return asyncio.new_event_loop()


async def _check(crew: Crew, question: Words) -> Words:
    operation = _operation(question["operation"])
    found = await crew.check(operation)
    rows = found if isinstance(found, (list, tuple)) else []
    count = len(found) if isinstance(found, (list, tuple)) else len(operation.records) or 1
    return {"rows": [[tagged(value) for value in row] for row in rows], "count": count}


async def _drive(crew: Crew, question: Words) -> Words:
    driven = await crew.drive(question["operation"], question["seconds"], question["concurrency"])
    stopped = time.process_time_ns()
    answer = histogram.answer(driven)
    return {**answer, "beside_ns": time.process_time_ns() - stopped}


def _operation(said: Mapping[str, Any]) -> Operation:
    return Operation(
        name=said["name"],
        kind=said["kind"],
        sql=said["sql"],
        args=_values(said["args"]),
        columns=tuple((name, kind) for name, kind in said["columns"]),
        table=said["table"],
        records=tuple(_values(record) for record in said["records"]),
    )


def _values(found: Any) -> Tuple[Any, ...]:
    return tuple(plain(value) for value in found)


ANSWERS = {"check": _check, "drive": _drive}
