"""Additions to Locust's web page: checks before a start, a tab, the verdict in downloads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Response, jsonify, request
from locust.runners import STATE_CLEANUP, STATE_RUNNING, STATE_STOPPING

from locustfiles.access import foreign, without_cors
from locustfiles.run import reports, site
from locustfiles.run.locust_html import marked, with_groups
from locustfiles.run.record import LocustRun
from locustfiles.run.samples import FIGURES, TIME, charts, rows

KEY = "server"
# Locust's page stops asking for the state once a run is neither starting nor running, and would
# show one of these for good. They are reported as running, so that it asks until the run stopped.
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
NOTHING = "<p>The server is not watched here; <code>make locust</code> watches it.</p>"


class WebPage:
    """Our part of the page. `session` knows the last run and what prevents the next one."""

    def __init__(self, web_ui: Any, session: Any) -> None:
        self._session = session
        self._engines: dict[str, str] = {}
        options = session.environment.parsed_options
        self._site: str = options.host or ""
        self._addresses = [web_ui.host or "", *filter(None, [options.web_host_display_name])]
        app = web_ui.app
        app.wsgi_app = without_cors(app.wsgi_app)
        # The page shows fields in the order of this JSON: that of the shapes, not of the alphabet.
        app.jinja_env.policies["json.dumps_kwargs"] = {"sort_keys": False}
        web_ui.template_args |= template_args()
        web_ui.stats_csv_writer = reports.MarkedCsv(
            session.environment, lambda: reports.mark_of(session.run)
        )
        guarded = web_ui.auth_required_if_enabled
        self._checked = guarded(self._check)
        app.before_request(self._before)
        app.after_request(self._after)
        app.add_url_rule(f"/{KEY}", KEY, guarded(self._charts))
        app.add_url_rule(f"/{KEY}/csv", f"{KEY}_csv", guarded(self._csv))

    def _before(self) -> Any:
        host, origin = request.headers.get("Host", ""), request.headers.get("Origin")
        if refused := foreign(self._addresses, host, origin):
            return Response(refused + "\n", 403, mimetype="text/plain")
        if request.path.endswith("/user") and (problem := self._elsewhere(host_of_user())):
            return Response(problem + "\n", 403, mimetype="text/plain")
        return self._checked() if request.path.endswith("/swarm") else None

    def _check(self) -> Response | None:
        """Answer a start that cannot go well with the reason, which the page shows."""
        problem = self._elsewhere(request.form.get("host"))
        problem = problem or self._session.obstacle(shape_name(request.form), request.form)
        return jsonify({"success": False, "message": problem}) if problem else None

    def _elsewhere(self, host: str | None) -> str | None:
        """Return why users may not be sent to a host; None if they may.

        Without a site on the command line, the person at the page says where it is.
        """
        if not (host and self._site) or host.rstrip("/") == self._site.rstrip("/"):
            return None
        return f"this Locust is for {self._site}: start another one for {host}"

    def _after(self, response: Response) -> Response:
        run: LocustRun | None = self._session.run
        if response.status_code != 200:
            return response
        if request.endpoint == "locust.index":
            response.set_data(with_groups(response.get_data(as_text=True), self._engine()))
        elif run and request.path.endswith("/stats/requests"):
            # Locust keeps this answer for two seconds, so it may have been completed before.
            found = {**response.get_json(), "extended_stats": extended_stats(run)}
            if found["state"] in ENDING:
                found["state"] = STATE_RUNNING
            response.set_data(jsonify(found).get_data())
        elif run and request.path.endswith("/stats/report"):
            response.set_data(marked(response.get_data(as_text=True), run))
        return response

    def _engine(self) -> str:
        """Return the engine of the site that the page begins with, asked once for each address."""
        host = self._session.environment.host or ""
        if host not in self._engines:
            self._engines[host] = site.engine(host) if host else ""
        return self._engines[host]

    def _charts(self) -> str:
        run: LocustRun | None = self._session.run
        drawn = charts(run.sampled()) if run else ""
        return PAGE.format(body=drawn or NOTHING)

    def _csv(self) -> Response:
        run: LocustRun | None = self._session.run
        samples = run.sampled() if run else []
        text = reports.table(samples, reports.mark_of(run), [TIME, *FIGURES])
        headers = {"Content-Disposition": "attachment;filename=server.csv"}
        return Response(text, mimetype="text/csv", headers=headers)


def template_args() -> dict[str, Any]:
    """Return Locust's way to extend its page: a tab, the table in it, links among the downloads."""
    columns = [{"key": key, "title": title} for key, title in COLUMNS.items()]
    return {
        "extended_tabs": [{"title": "Server", "key": KEY}],
        "extended_tables": [{"key": KEY, "structure": columns}],
        "extended_csv_files": [
            {"href": f"./{KEY}/csv", "title": "Download server and database CSV"},
            {"href": f"./{KEY}", "title": "Server and database over time"},
        ],
    }


def extended_stats(run: LocustRun) -> list[dict[str, Any]]:
    """Return the rows of the tab."""
    return [{"key": KEY, "data": rows(run.sampled())}]


def host_of_user() -> str | None:
    """Return the host in a request that changes a user class."""
    settings = request.get_json(force=True, silent=True)
    found = settings.get("host") if isinstance(settings, dict) else None
    return None if found is None else str(found)


def shape_name(form: Mapping[str, str]) -> str:
    """Return the shape that the page's form asks for; "" for none."""
    chosen = form.get("shape_class", "")
    return "" if chosen == "Default" else chosen
