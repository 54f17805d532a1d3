"""Somebody who votes."""

from __future__ import annotations

import random
from urllib.parse import urlencode, urlsplit

from locust import between, task

from locustfiles.pages import looks
from locustfiles.pages.ballot import Form, read_ballot
from locustfiles.users.site_user import Look, SiteUser, answered

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
SEE_OTHER = 303
COUNTED = "voted=1"


class Voter(SiteUser):
    """Opens Index, looks at it, clicks on one of the two; sometimes looks around."""

    wait_time = between(1, 4)

    def on_start(self) -> None:
        """The first look."""
        self._ballot: list[Form] = []
        self._index("/", looks.ballot)
        self.wait()

    @task(12)
    def vote(self) -> None:
        """One of the two forms of the page that is open; its tokens are good once."""
        if not self._ballot:
            # The last page was none: open it again.
            self._index("/", looks.ballot)
            return
        form, self._ballot = random.choice(self._ballot), []
        target = self._send(form)
        if target:
            self._index(target, looks.counted)

    @task(2)
    def good(self) -> None:
        """The nine best."""
        self.open("Good", "/good", looks.top("The Good"))

    @task(1)
    def bad(self) -> None:
        """The nine worst."""
        self.open("Bad", "/bad", looks.top("The Bad"))

    @task(1)
    def about(self) -> None:
        """What this is."""
        self.open("About", "/about", looks.headed("About"))

    def _index(self, path: str, look: Look) -> None:
        self._ballot = read_ballot(self.open("Index", path, look))

    def _send(self, form: Form) -> str:
        """Vote: where the answer leads to, or "" where the vote did not count."""
        with self.client.post(
            "/",
            name="vote",
            data=urlencode(form),
            headers=FORM,
            allow_redirects=False,
            catch_response=True,
        ) as answer:
            if not answered(answer, SEE_OTHER):
                return ""
            target = urlsplit((answer.headers or {}).get("location") or "")
            if target.query == COUNTED:
                return f"{target.path}?{target.query}"
            answer.failure("the vote was not counted")
        return ""
