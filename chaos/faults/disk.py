"""A disk that is full, at each stage of a race."""

from __future__ import annotations

import contextlib
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from chaos.faults.harness import command, scenario
from chaos.lab import Fault, Lab
from chaos.seen import Seen
from race.saved.reader import RUN_FILE, ResultsError, load
from runtime.paths import ROOT

STAGES = 16
SHORT = 3
RACE_SECONDS = 120.0
ENGINES = ("aiohttp-memory-one",)
PAGE = 4096
ROOMY = 64 << 20
TRACE = re.compile(r"Traceback|Error\b.*\bline \d+")


@contextlib.contextmanager
def disk(place: Path, size: str) -> Iterator[None]:
    """A file system of that size there; OSError where none may be mounted."""
    place.mkdir(parents=True, exist_ok=True)
    try:
        _mount("-t", "tmpfs", "-o", f"size={size}", "chaos", str(place))
    except (OSError, subprocess.CalledProcessError) as error:
        raise OSError(f"no file system can be mounted here: {error}") from None
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True, timeout=20)


def resize(place: Path, size: int) -> None:
    """More room, or less, but not less than is used."""
    _mount("-o", f"remount,size={size}", str(place))


def _mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True, capture_output=True, timeout=20)


def run(lab: Lab) -> Iterator[Seen]:
    """A whole race tells how much it writes; then the disk is smaller than that, by each step."""
    folder = lab.folder / "disk"
    path = scenario(folder, ENGINES)
    place = folder / "mounted"
    try:
        with disk(place, str(ROOMY)):
            raced = race("run", str(path), "--results", str(place))
            if raced.returncode:
                yield Seen("race run", "", f"not tried: {raced.stderr.strip()[-200:]}")
                return
            pages = sum(-(-one.stat().st_size // PAGE) for one in place.rglob("*") if one.is_file())
    except OSError as error:
        yield Seen("race run", "", f"not tried: {error}")
        return
    stages = lab.times(STAGES, SHORT)
    wrong: list[str] = []
    ends: dict[str, int] = {}
    # Finer at the beginning, where the record and the cells are written.
    sizes = sorted({max(1, round(pages * (step / stages) ** 2)) for step in range(1, stages)})
    for size in [*sizes, pages - 1]:
        with disk(place, str(size * PAGE)):
            end, complaint = filled(path, place)
        ends[end] = ends.get(end, 0) + 1
        if complaint:
            wrong.append(f"with {size * PAGE // 1024} KB: {complaint}")
    lab.say(f"disk: {len(sizes) + 1} sizes, {len(wrong)} went wrong")
    text = "; ".join(f"{end}: {number}" for end, number in ends.items())
    yield Seen("race run", f"{len(sizes) + 1} sizes", f"full at: {text}", wrong=wrong)


def race(*words: str) -> subprocess.CompletedProcess[str]:
    """A command of the harness, to its end."""
    return subprocess.run(
        command(*words),
        capture_output=True,
        text=True,
        timeout=RACE_SECONDS,
        cwd=ROOT,
        check=False,
    )


def filled(path: Path, place: Path) -> tuple[str, str]:
    """A race on a disk that is too small: where it ended, and what was wrong with that."""
    ended = race("run", str(path), "--results", str(place))
    saved = cells(place)
    if saved is None:
        return "its record", ill_said(ended)
    if complaint := ill_said(ended):
        return "its cells", complaint
    resize(place, ROOMY)
    folder = next(place.glob(f"*/{RUN_FILE}")).parent
    if load(folder).head.finished_at:
        report = race("report", "latest", "--results", str(place))
        return "its report", "" if report.returncode == 0 else f"then {report.stderr.strip()[-99:]}"
    more = race("resume", "latest", "--results", str(place))
    if more.returncode:
        return "its cells", f"then resume said {more.stderr.strip()[-99:]}"
    lost = len([one for one in saved if one not in (cells(place) or [])])
    return "its cells", f"{lost} cells were lost" if lost else ""


def cells(place: Path) -> list[object] | None:
    """What can be read of the race; None where there is none."""
    for found in place.glob(f"*/{RUN_FILE}"):
        with contextlib.suppress(ResultsError):
            return list(load(found.parent).cells)
    return None


def ill_said(ended: subprocess.CompletedProcess[str]) -> str:
    """What is wrong with the way a command ended that could not write: one line says why."""
    lines = [line for line in ended.stderr.splitlines() if line.startswith("race: ")]
    if ended.returncode == 0:
        return "it ended as if all were well"
    if TRACE.search(ended.stderr):
        return f"a traceback: {ended.stderr.strip().splitlines()[-1][:99]}"
    return "" if len(lines) == 1 else f"{len(lines)} lines say why: {ended.stderr.strip()[-99:]!r}"


FAULT = Fault(
    "a full disk",
    "Whichever file does not fit any more, one line says so, no saved cell is lost, and with more "
    "room the race goes on.",
    1800.0,
    run,
)
