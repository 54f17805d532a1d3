"""Our arguments on Locust's command line. Those of the shapes are fields of its web page too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from locustfiles.shapes import SHAPES

REPORTS = Path("results") / "locust"


def add(parser: Any, **_: Any) -> None:
    """Handle `events.init_command_line_parser`, which comes more than once."""
    for name, default, text in (
        ("shape", "", f"shape of the run without a web page: {', '.join(SHAPES)}"),
        ("reports", str(REPORTS), "folder that gets a folder of reports for each run"),
        ("samples", "", "file of JSON lines about server and database (docs/locust.md)"),
        ("fail-p95", "", "exit with status 1 if the 95th percentile is above, as in 500ms"),
        ("fail-ratio", "", "exit with status 1 if more requests failed, as in 0.01"),
    ):
        parser.add_argument(f"--{name}", default=default, help=text, include_in_web_ui=False)
    text = "with --host: users read these paths of any application; may be given again"
    parser.add_argument("--path", action="append", default=[], help=text, include_in_web_ui=False)
    for kind in SHAPES.values():
        for field in kind.FIELDS:
            option = "--" + field.name.replace("_", "-")
            # Always text: Locust would answer a wrong number with status 500.
            parser.add_argument(option, default=field.default, help=field.help)
