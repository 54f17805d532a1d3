"""A user that reads pages and the API."""

from __future__ import annotations

import random

from locust import between, task

from locustfiles.pages import checks
from locustfiles.users.site_user import SiteUser, about, bad, good


class Reader(SiteUser):
    """Reads Good, Bad and About, and from time to time a sticker through the API."""

    wait_time = between(1, 4)
    tasks = [*[good] * 4, *[bad] * 3, about]  # noqa: RUF012 - Locust's own form

    @task(2)
    def api(self) -> None:
        """Read all packs, one of them, and one of its stickers."""
        pack = self._any("Packs", "/stickers", "packs")
        if pack is not None:
            path = f"/stickers/{pack}"
            sticker = self._any("Pack", path, "stickers")
            if sticker is not None:
                self.read("Sticker", f"{path}/{sticker}", checks.numbered(sticker))

    def _any(self, name: str, path: str, key: str) -> int | None:
        """Return the id of a random member of a list of the API, or None if that failed."""
        found = self.read(name, path, checks.members(key))
        return random.choice(found[key])["id"] if found else None
