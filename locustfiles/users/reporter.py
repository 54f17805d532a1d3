"""A user that reads the reports in the mix of the article on psycopg 3."""

from __future__ import annotations

from locust import between

from locustfiles.pages import checks
from locustfiles.users.site_user import SiteUser, page

WEIGHTS = {1: 5, 2: 3, 3: 1, 4: 1, 5: 1}  # report to weight: two light pages, three heavy ones


class Reporter(SiteUser):
    """Waits 1 to 4 s between two pages, as the article's users do."""

    wait_time = between(1, 4)
    tasks = [  # noqa: RUF012 - Locust's own form
        page(f"Report {number}", f"/reports/{number}", checks.report(number))
        for number, weight in WEIGHTS.items()
        for _ in range(weight)
    ]
