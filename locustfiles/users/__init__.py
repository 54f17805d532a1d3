"""Users, each with what it does on the site.

`USERS` is the registry: a new user is one file with a `site_user.SiteUser` and one line here.
"""

from __future__ import annotations

from locustfiles.users.paths import Paths
from locustfiles.users.reader import Reader
from locustfiles.users.reporter import Reporter
from locustfiles.users.site_user import SiteUser
from locustfiles.users.voter import Voter

USERS: dict[str, type[SiteUser]] = {
    "Voter": Voter,
    "Reader": Reader,
    "Reporter": Reporter,
    "Paths": Paths,
}
