"""Command lines: numbers within bounds, and refusals in one line that offer the nearest word."""

from __future__ import annotations

import argparse
import difflib
import re
from typing import Any, Callable, Iterable, List, NoReturn, Tuple

WRONG_USE = 2
MOST_WORKERS = 64
# The share of its letters that a word must have in common with another to be offered for it.
ALIKE = 0.66
# The same for each word of a name that has several.
WORDS_ALIKE = 0.5
_WORD = re.compile(r"\w+")
# argparse's own words; its versions put the choices with and without quotes.
_CHOICE = re.compile(r"(?P<what>.*invalid choice: '(?P<given>.*)') \(choose from (?P<known>.*)\)")


class Parser(argparse.ArgumentParser):
    """argparse that does not print its usage above an error: one line is read, eight are not."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Tuple[Any, List[str]]:
        """Parse as argparse does, but refuse unknown arguments instead of leaving them over."""
        options, unknown = super().parse_known_args(args, namespace)
        if unknown:
            given = unknown[0].partition("=")[0]
            lists = any("," in str(action.metavar) for action in self._actions)
            if lists and not given.startswith("-"):
                self.error(f"unexpected {given!r}: separate values by commas, without spaces")
            remedy = did_you_mean(given, self._option_string_actions) or f"see {self.prog} --help"
            self.error(f"unknown argument {given!r}: {remedy}")
        return options, unknown

    def error(self, message: str) -> NoReturn:
        """End with status 2 and one line."""
        match = _CHOICE.fullmatch(message)
        if match:
            known = [word.strip("' ") for word in match["known"].split(",")]
            remedy = did_you_mean(match["given"], known) or ", ".join(known)
            message = f"{match['what']}: {remedy}"
        elif "arguments are required" in message:
            message += f": see {self.prog} --help"
        self.exit(WRONG_USE, f"{self.prog}: {message}\n")


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """Return `did you mean 'word'?` with the most similar known word, or "" if none is similar."""
    alike = [word for word in known if _words_alike(given, word)]
    near = difflib.get_close_matches(given, alike, n=1, cutoff=ALIKE)
    return f"did you mean {near[0]!r}?" if near else ""


def _words_alike(given: str, known: str) -> bool:
    """Return whether each word of a name such as aiohttp-postgres-one is similar to its
    counterpart, so that what two names share does not hide a word that has nothing in common.
    """
    ours, theirs = _WORD.findall(given), _WORD.findall(known)
    if len(ours) != len(theirs):
        return True
    ratios = (difflib.SequenceMatcher(None, *pair).ratio() for pair in zip(ours, theirs))
    return all(ratio >= WORDS_ALIKE for ratio in ratios)


def whole_number(what: str, least: int, most: int) -> Callable[[str], int]:
    """Return the parser of an option that takes a whole number from `least` to `most`."""

    def parse(text: str) -> int:
        if not text.isdecimal() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is no {what}: {least} to {most}")
        return int(text)

    return parse


port = whole_number("port", 0, 65535)
