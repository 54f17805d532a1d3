"""A user that votes."""

from __future__ import annotations

import random
from urllib.parse import urlencode, urlsplit

from locust import between, task

from locustfiles.pages import checks
from locustfiles.pages.ballot import Form, read_ballot
from locustfiles.users.site_user import Check, SiteUser, about, answered, bad, good

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
SEE_OTHER = 303
COUNTED = "voted=1"


class Voter(SiteUser):
    """Opens Index, thinks, votes for one of the two; sometimes reads another page."""

    wait_time = between(1, 4)
    tasks = [good, good, bad, about]  # noqa: RUF012 - Locust's own form

    def on_start(self) -> None:
        """Open the first ballot."""
        self._ballot: list[Form] = []
        self._index("/", checks.ballot)
        self.wait()

    @task(12)
    def vote(self) -> None:
        """Send one of the two forms of the open page, whose tokens are valid once."""
        if not self._ballot:
            # The last page had no ballot.
            self._index("/", checks.ballot)
            return
        form, self._ballot = random.choice(self._ballot), []
        target = self._send(form)
        if target:
            self._index(target, checks.counted)

    def _index(self, path: str, check: Check) -> None:
        self._ballot = read_ballot(self.open("Index", path, check))

    def _send(self, form: Form) -> str:
        """Vote; return the target of the redirect, or "" if the vote did not count."""
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
