"""A saved race from elsewhere may have any text in any field: all of them only show it."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import asdict

from race.analysis.analyse import analyse
from race.analysis.compare import compare
from race.cli import main
from race.report import html, markdown, run_comparison
from race.saved.reader import RUN_FILE, SavedRace, load
from tests.support import records, synthetic, user_load

EVIL = "\"'><evil stray=1> stray=1 [x](evil:) [bold]\x1b]0;evil\x07\u202e"
CHOSEN = {"schema", "status", "fault", "started_at", "finished_at"}
"""Fields with a choice of values, or a form."""
MEANT = re.compile(r"schema|name|title|rounds|cpu_ns|memory_bytes|cores|busy|p\d.*|mean|max|\w+_us")
"""Keys of free tables that the reports look for."""
COMMANDS = (
    ["show", "evil"],
    ["show", "evil", "--cells"],
    ["list"],
    ["compare", "evil", "evil"],
    ["report", "evil", "--markdown"],
    ["report", "evil", "--csv"],
)


def evil(value: Any) -> Any:
    """Return a record with the text behind every text in it."""
    if isinstance(value, Struct):
        fields = asdict(value).items()
        return type(value)(**{name: one if name in CHOSEN else evil(one) for name, one in fields})
    if isinstance(value, dict):
        return {key if MEANT.fullmatch(key) else evil(key): evil(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(evil, value))
    return value + EVIL if isinstance(value, str) else value


def spoiled(folder: Path) -> SavedRace:
    """Put the text into a saved race."""
    race = load(folder)
    found = load(records.write(folder, evil(race.head), map(evil, race.cells)))
    assert not found.problems
    return found


def site(folder: Path) -> SavedRace:
    pages = ("index", "ugly")
    recipe = synthetic.Recipe(engines=synthetic.SMALL, pages=pages, rounds=6, rates=(2000.0,))
    return spoiled(synthetic.write(folder / "evil", recipe))


def users(folder: Path) -> SavedRace:
    return spoiled(user_load.write(folder / "evil"))


class Strays(HTMLParser):
    """Finds elements and attributes that no template has, and counts where the text is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.shown = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [tag] if tag == "evil" or "stray" in dict(attrs) else []
        self.shown += sum("evil" in (value or "") for _, value in attrs)

    def handle_data(self, data: str) -> None:
        self.shown += data.count("evil")


@pytest.mark.parametrize("race", [site, users])
def test_html_has_no_stray_element_or_attribute(
    race: Callable[[Path], SavedRace], tmp_path: Path
) -> None:
    saved = race(tmp_path)
    for page in (html.page(analyse(saved)), run_comparison.html(compare(saved, saved))):
        strays = Strays()
        strays.feed(page)
        assert strays.found == []
        assert strays.shown > 50


@pytest.mark.parametrize("race", [site, users])
def test_markdown_has_no_element_and_no_link(
    race: Callable[[Path], SavedRace], tmp_path: Path
) -> None:
    saved = race(tmp_path)
    for page in (markdown.page(analyse(saved)), run_comparison.markdown(compare(saved, saved))):
        text = "".join(page.split("```")[::2])
        assert text.count("evil") > 30
        links = re.sub(r"<summary>.*", "", text)  # Markdown sees none within an element
        assert re.findall(r"(?<!\\)<evil", text) + re.findall(r"(?<!\\)\]\(", links) == []


@pytest.fixture
def no_scenarios(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare `race list` the processes that say what can run here."""
    monkeypatch.setattr("race.plan.read.names", list)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.usefixtures("no_scenarios")
def test_a_terminal_obeys_nothing(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site(tmp_path)
    assert main([*command, "--results", str(tmp_path)]) == 0
    said = "".join(capsys.readouterr())
    assert "evil" in said
    assert not set("\x1b\x07\u202e") & set(said)


@pytest.mark.usefixtures("no_scenarios")
def test_a_damaged_race_and_its_folder_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "\x1b]0;evil\x07"
    folder.mkdir()
    (folder / RUN_FILE).write_text("{")
    assert main(["list", "--results", str(tmp_path)]) == 0
    assert main(["show", folder.name, "--results", str(tmp_path)]) == 2
    assert "\x1b" not in "".join(capsys.readouterr())
