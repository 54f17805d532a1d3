"""Locust's page against web pages of others, in one process."""

from __future__ import annotations

from pathlib import Path

from tests.support.locust_lab import MEMORY, PAGE, fake, launched, swarm
from tests.support.site_client import FORM as TYPE
from tests.support.site_client import ask, get

FORM = b"shape_class=Soak&user_classes=Reader"
EVIL = "evil.example"


def test_only_its_own_page_drives_it(tmp_path: Path) -> None:
    with fake({}) as elsewhere, launched(tmp_path, *MEMORY, "--port", "0") as running:
        page = running.until(PAGE.pattern)[1]
        for header, value in (("Origin", f"http://{EVIL}"), ("Host", EVIL)):
            answer = ask(page, "POST", "/swarm", FORM, Content_Type=TYPE, **{header: value})
            assert (answer.status, answer.body.count(b"\n")) == (403, 1), answer
            assert not any(name.startswith("access-control-") for name in answer.headers)
        own = get(page, "/stats/requests", Origin=page)
        assert own.status == 200
        assert not any(name.startswith("access-control-") for name in own.headers)
        assert own.json()["state"] == "ready"
        away = swarm(page, shape_class="Soak", user_classes="Reader", host=elsewhere.url)
        assert away["success"] is False
        assert "start another one for" in away["message"]
        user = b'{"user_class_name": "Reader", "host": "%s"}' % elsewhere.url.encode()
        assert ask(page, "POST", "/user", user).status == 403
    assert elsewhere.asked == []
