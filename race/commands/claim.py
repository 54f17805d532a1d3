"""`race claim`: what saved cells say of a pair or a claim, and whether a document says the same."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from race import console
from race.commands import FAILED, Command
from race.commands.find import find, known
from race.errors import RaceError
from race.paths import PUBLISHED
from race.saved.reader import RUN_FILE, load

if TYPE_CHECKING:
    from race.analysis.pairing import Run
    from race.report.claims.document import Checked


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the words of a pair or a claim, or documents."""
    text = (
        "documents (FILE.md ...), or: RUN ... TASK A B, such as `article-1 good A B`, or the words "
        "of any other claim, such as `cpu-ratio article-1+article-2 good A B`"
    )
    parser.add_argument("words", nargs="+", metavar="CLAIM", help=text)
    parser.usage = "%(prog)s [-h] [--json] [--results DIR] (FILE.md ... | RUN ... TASK A B)"


def run(options: argparse.Namespace) -> int:
    """Exit 1 when a document differs from the saved cells."""
    words = options.words
    if all(word.endswith(".md") for word in words):
        return _documents([Path(word) for word in words], options)
    if _is_claim(words, options.results):
        return _claim(words, options)
    words = words[words[0] == "ratio" :]
    if len(words) < 4:
        raise RaceError(_usage())
    *runs, task, first, second = words
    if "+" in task:
        return _claim(["+".join(runs), task, first, second], options)
    names = [name for joined in runs for name in joined.split("+")]
    return _pair(names, (task, first, second), options)


def _usage() -> str:
    from race.report.claims.measures import MEASURES

    return (
        "give documents (FILE.md ...), or RUN ... TASK A B, or a measure, RUN[+RUN...] and its "
        f"words; measures are {', '.join(MEASURES)}"
    )


def _is_claim(words: Sequence[str], results: Path) -> bool:
    """Return whether the words begin with a measure; a race may have the name of one, and then
    their number decides.
    """
    from race.report.claims.measures import MEASURES

    measure = MEASURES.get(words[0])
    if measure is None or words[0] == "ratio":
        return False
    return len(words) == 2 + len(measure.takes) or words[0] not in known(results)


def _claim(words: Sequence[str], options: argparse.Namespace) -> int:
    from race.report.claims.document import compute

    found = compute(words, finder(PUBLISHED, options.results))
    text = json.dumps({"claim": " ".join(words), "found": found}) if options.json else found
    console.write(text)
    return 0


def _documents(paths: Sequence[Path], options: argparse.Namespace) -> int:
    from race.report.format import plural

    found = [(path, checked) for path in paths for checked in check(path, options.results)]
    wrong = [one for _, one in found if one.problem]
    if options.json:
        print(json.dumps([_as_json(path, one) for path, one in found]))
        return FAILED if wrong else 0
    for path, one in found:
        text = f"WRONG: {one.problem}" if one.problem else one.found
        console.write(f"{path}:{one.claim.line}: {one.claim.body}\n    {text}")
    print(f"{plural(len(found), 'claim')}, {len(wrong)} not as the saved cells have it")
    return FAILED if wrong else 0


def check(path: Path, results: Path) -> list[Checked]:
    """Check a document with runs from beside it, from `results` and from the published ones;
    RaceError when the document cannot be read.
    """
    from race.report.claims.document import check_document

    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise RaceError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise RaceError(f"cannot read {path}: it is not UTF-8 text") from None
    return check_document(text, finder(path.parent, results, paths=False))


def finder(beside: Path, results: Path, paths: bool = True) -> Callable[[str], Run]:
    """Return a function that loads and analyses a race by name, each once.

    `paths`: also by the path of a folder, as a person types it; a document has names.
    """
    from race.analysis.pairing import Run

    @cache
    def found(name: str) -> Run:
        if not paths and Path(name).name != name:
            raise RaceError(f"a document names a run without its folder, not {name!r}")
        near = beside / name
        return Run.of(load(near if (near / RUN_FILE).exists() else find(results, name)))

    return found


def _as_json(path: Path, one: Checked) -> dict[str, Any]:
    claim = one.claim
    place = {"file": str(path), "line": claim.line, "claim": claim.body}
    return {**place, "found": one.found, "problem": one.problem}


def _pair(names: Sequence[str], what: tuple[str, str, str], options: argparse.Namespace) -> int:
    from race.analysis.merge import same_scenario
    from race.report.claims.paired import paired, show

    found = finder(PUBLISHED, options.results)
    runs = [found(name) for name in names]
    same_scenario([run.analysis.race.head for run in runs])
    pair = paired(names, runs, *what)
    if options.json:
        print(json.dumps(pair.as_json()))
    else:
        show(pair)
    return 0


COMMAND = Command("what saved cells say of a pair, or whether a document is right", arguments, run)
