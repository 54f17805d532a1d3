"""A user that reads pages of any application."""

from __future__ import annotations

import random

from locust import between, task

from locustfiles.users.site_user import SiteUser


class Paths(SiteUser):
    """Gets one of the paths of the command line (`--path`); a status from 400 on is a failure."""

    wait_time = between(1, 4)

    @task
    def read_one(self) -> None:
        """Get one of them."""
        path = random.choice(self.environment.parsed_options.path)
        self.client.get(path, name=path)
