"""Somebody who reads, and a program that reads the API."""

from __future__ import annotations

import random

from locust import between, task

from locustfiles.pages import looks
from locustfiles.users.site_user import SiteUser


class Reader(SiteUser):
    """Good, Bad, About; from time to time a sticker through the API."""

    wait_time = between(1, 4)

    @task(4)
    def good(self) -> None:
        """The nine best."""
        self.open("Good", "/good", looks.top("The Good"))

    @task(3)
    def bad(self) -> None:
        """The nine worst."""
        self.open("Bad", "/bad", looks.top("The Bad"))

    @task(1)
    def about(self) -> None:
        """What this is."""
        self.open("About", "/about", looks.headed("About"))

    @task(2)
    def api(self) -> None:
        """All packs, one of them, one of its stickers."""
        pack = self._any("Packs", "/stickers", "packs")
        if pack is not None:
            path = f"/stickers/{pack}"
            sticker = self._any("Pack", path, "stickers")
            if sticker is not None:
                self.read("Sticker", f"{path}/{sticker}", looks.numbered(sticker))

    def _any(self, name: str, path: str, key: str) -> int | None:
        """The id of one in a list of the API; None where that failed."""
        found = self.read(name, path, looks.members(key))
        return random.choice(found[key])["id"] if found else None
