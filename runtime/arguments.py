"""Command lines that are refused in one line, with the nearest valid word."""

from __future__ import annotations

import argparse
import difflib
import re
from typing import Any, Iterable, List, NoReturn, Tuple

WRONG_USE = 2
# argparse's own words; its versions put the choices with and without quotes.
_CHOICE = re.compile(r"(?P<what>.*invalid choice: '(?P<given>.*)') \(choose from (?P<known>.*)\)")


class Parser(argparse.ArgumentParser):
    """argparse that does not print its usage above an error: one line is read, eight are not."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Tuple[Any, List[str]]:
        """As argparse's, but nothing is left for a parser above, which knows other options."""
        options, unknown = super().parse_known_args(args, namespace)
        if unknown:
            given = unknown[0].partition("=")[0]
            near = nearest(given, self._option_string_actions)
            self.error(f"unknown argument {given!r}{near or more(self.prog)}")
        return options, unknown

    def error(self, message: str) -> NoReturn:
        """End with status 2 and one line."""
        match = _CHOICE.fullmatch(message)
        if match:
            known = [word.strip("' ") for word in match["known"].split(",")]
            message = match["what"] + (nearest(match["given"], known) or ": " + ", ".join(known))
        elif "arguments are required" in message:
            message += more(self.prog)
        self.exit(WRONG_USE, f"{self.prog}: {message}\n")


def nearest(given: str, known: Iterable[str]) -> str:
    """The end of a sentence that offers the nearest of the known words; empty without one."""
    near = difflib.get_close_matches(given, list(known), 1)
    return f": did you mean {near[0]!r}?" if near else ""


def more(program: str) -> str:
    """The end of a sentence that says where to read on."""
    return f": see {program} --help"
