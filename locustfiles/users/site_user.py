"""What every user does alike: requests are named by their page, and answers are looked at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from locust.contrib.fasthttp import FastHttpUser, ResponseContextManager

# A page that takes longer has failed, whatever it then answers.
TIMEOUT = 10.0

Look = Callable[[str], str | None]
"""Says what is wrong with a body; None where nothing is."""


class SiteUser(FastHttpUser):
    """Keeps its cookie and its connection, as a browser does."""

    abstract = True
    network_timeout = TIMEOUT
    connection_timeout = TIMEOUT

    def open(self, name: str, path: str, look: Look) -> str:
        """Ask for a page, and look at it: its body, or "" where it failed."""
        with self.client.get(path, name=name, catch_response=True) as answer:
            if answered(answer, 200):
                body = answer.text or ""
                wrong = look(body)
                if wrong is None:
                    return body
                answer.failure(wrong)
        return ""

    def read(self, name: str, path: str, look: Callable[[Any], str | None]) -> Any:
        """Ask for JSON, and look at it: what it says, or None where it failed."""
        with self.client.get(path, name=name, catch_response=True) as answer:
            if answered(answer, 200):
                try:
                    found = answer.json()
                except ValueError:
                    answer.failure("not JSON")
                    return None
                wrong = look(found)
                if wrong is None:
                    return found
                answer.failure(wrong)
        return None


def answered(answer: ResponseContextManager, status: int) -> bool:
    """Whether that status came. Another one is a failure; no answer at all already is one, which
    Locust names by its kind.
    """
    if answer.status_code and answer.status_code != status:
        answer.failure(f"status {answer.status_code}, not {status}")
    return answer.status_code == status
