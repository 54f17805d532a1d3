"""What we add to Locust's web page: checks before a start, the tab, the verdict in downloads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Response, jsonify, request
from locust.runners import STATE_CLEANUP, STATE_RUNNING, STATE_STOPPING

from locustfiles.run import reports
from locustfiles.run.record import Run
from locustfiles.run.samples import FIGURES, TIME, charts, rows

KEY = "server"
# Locust's page asks on only while a run starts or goes on: told of one of these, it would show it
# for good.
ENDING = {STATE_CLEANUP, STATE_STOPPING}
COLUMNS = {"name": "Figure", "now": "Now", "mean": "Mean", "highest": "Highest"}
PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="5">
<title>Server and database</title>
<body style="max-width:760px;margin:24px auto;padding:0 12px;font:16px system-ui">
<h1>Server and database</h1>
{body}
</html>
"""
NOTHING = "<p>Nobody watches the server: <code>make locust</code> does.</p>"


class Tab:
    """Our part of the page. ``session`` knows the last run and says what stands against a start."""

    def __init__(self, web_ui: Any, session: Any) -> None:
        self._session = session
        app = web_ui.app
        web_ui.template_args |= template_args()
        web_ui.stats_csv_writer = reports.MarkedCsv(session.environment, self._verdict)
        guarded = web_ui.auth_required_if_enabled
        self._checked = guarded(self._check)
        app.before_request(self._before)
        app.after_request(self._after)
        app.add_url_rule(f"/{KEY}", KEY, guarded(self._charts))
        app.add_url_rule(f"/{KEY}/csv", f"{KEY}_csv", guarded(self._csv))

    def _before(self) -> Any:
        return self._checked() if request.path.endswith("/swarm") else None

    def _check(self) -> Response | None:
        """A start that cannot go well is answered with the reason, which the page shows."""
        problem = self._session.obstacle(shape_name(request.form), request.form)
        return jsonify({"success": False, "message": problem}) if problem else None

    def _after(self, response: Response) -> Response:
        run: Run | None = self._session.run
        if response.status_code != 200 or run is None:
            return response
        if request.path.endswith("/stats/requests"):
            # Kept by Locust for two seconds, so this may be one that was filled in before.
            found = {**response.get_json(), "extended_stats": extended_stats(run)}
            if found["state"] in ENDING:
                found["state"] = STATE_RUNNING
            response.set_data(jsonify(found).get_data())
        elif request.path.endswith("/stats/report"):
            response.set_data(reports.marked(response.get_data(as_text=True), run))
        return response

    def _charts(self) -> str:
        run: Run | None = self._session.run
        drawn = charts(run.sampled()) if run else ""
        return PAGE.format(body=drawn or NOTHING)

    def _csv(self) -> Response:
        run: Run | None = self._session.run
        text = reports.table(run.sampled() if run else [], self._verdict(), [TIME, *FIGURES])
        headers = {"Content-Disposition": "attachment;filename=server.csv"}
        return Response(text, mimetype="text/csv", headers=headers)

    def _verdict(self) -> str:
        run: Run | None = self._session.run
        return str(run.verdict) if run else ""


def template_args() -> dict[str, Any]:
    """Locust's way to extend its page: a tab, the table in it, links among the downloads."""
    return {
        "extended_tabs": [{"title": "Server", "key": KEY}],
        "extended_tables": [
            {
                "key": KEY,
                "structure": [{"key": key, "title": title} for key, title in COLUMNS.items()],
            }
        ],
        "extended_csv_files": [
            {"href": f"./{KEY}/csv", "title": "Download server and database CSV"},
            {"href": f"./{KEY}", "title": "Server and database over time"},
        ],
    }


def extended_stats(run: Run) -> list[dict[str, Any]]:
    """The rows of the tab."""
    return [{"key": KEY, "data": rows(run.sampled())}]


def shape_name(form: Mapping[str, str]) -> str:
    """The shape that the page's form asks for; "" for none."""
    chosen = form.get("shape_class", "")
    return "" if chosen == "Default" else chosen
