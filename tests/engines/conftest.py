"""The fixtures that start servers of engines."""

from tests.support.engines import availability, group, quiet, reference, site, starter

__all__ = ["availability", "group", "quiet", "reference", "site", "starter"]
