"""When something was, as people here say it."""

from __future__ import annotations

from datetime import datetime


def moment(text: str) -> str:
    """An ISO time in local time: "21 Nov 2026 14:05"; as it stands when it is none."""
    try:
        when = datetime.fromisoformat(text).astimezone()
    except ValueError:
        return text
    return f"{when.day} {when:%b %Y %H:%M}"
