"""The base of all users: requests are named by their page, and answers are checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from locust.contrib.fasthttp import FastHttpUser, ResponseContextManager

from locustfiles.pages import checks
from locustfiles.timeouts import TIMEOUTS

Check = Callable[[str], str | None]
"""Returns what is wrong with a body, or None."""


class SiteUser(FastHttpUser):
    """A user that keeps its cookie and its connection, as a browser does."""

    abstract = True
    network_timeout = TIMEOUTS.page
    connection_timeout = TIMEOUTS.page

    def open(self, name: str, path: str, check: Check) -> str:
        """Get a page and check it; return its body, or "" if it failed."""
        with self.client.get(path, name=name, catch_response=True) as answer:
            if answered(answer, 200):
                body = answer.text or ""
                wrong = check(body)
                if wrong is None:
                    return body
                answer.failure(wrong)
        return ""

    def read(self, name: str, path: str, check: Callable[[Any], str | None]) -> Any:
        """Get JSON and check it; return what it holds, or None if it failed."""
        with self.client.get(path, name=name, catch_response=True) as answer:
            if answered(answer, 200):
                try:
                    found = answer.json()
                except ValueError:
                    answer.failure("not JSON")
                    return None
                wrong = check(found)
                if wrong is None:
                    return found
                answer.failure(wrong)
        return None


def answered(answer: ResponseContextManager, status: int) -> bool:
    """Return whether an answer has that status; another one is a failure.

    No answer at all already is a failure, which Locust names by its kind.
    """
    if answer.status_code and answer.status_code != status:
        answer.failure(f"status {answer.status_code}, not {status}")
    return answer.status_code == status


def page(name: str, path: str, check: Check) -> Callable[..., Any]:
    """Return the task that opens a page."""

    def show(user: SiteUser) -> None:
        user.open(name, path, check)

    show.__name__ = name.lower().replace(" ", "_")
    return show


good = page("Good", "/good", checks.top("The Good"))
bad = page("Bad", "/bad", checks.top("The Bad"))
about = page("About", "/about", checks.has_heading("About"))
