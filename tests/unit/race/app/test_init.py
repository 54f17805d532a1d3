"""The first race.toml: what is guessed from the source, and that it can be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from race.app.scenario import AppScenario
from race.cli import main
from race.plan import read

SOURCES = {
    "FastAPI": ("shop.py", "from fastapi import FastAPI\napp = FastAPI()\n", "uvicorn shop:app "),
    "Flask": (
        "src/web/__init__.py",
        "import flask\nsite = flask.Flask(__name__)\n",
        "gunicorn web:site ",
    ),
    "Django": (
        "shop/wsgi.py",
        "application = get_wsgi_application()\n",
        "gunicorn shop.wsgi:application ",
    ),
    "Sanic": ("app.py", "app: Sanic = Sanic('x')\n", "sanic app:app "),
}


@pytest.mark.parametrize("framework", SOURCES)
def test_a_framework_is_found_in_the_source(framework: str, tmp_path: Path) -> None:
    name, text, command = SOURCES[framework]
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    (tmp_path / "uv.lock").touch()
    assert main(["init", str(tmp_path)]) == 0
    found = read.load(str(tmp_path / "race.toml"))
    assert isinstance(found, AppScenario)
    assert found.serve.startswith(f"uv run {command}")
    assert "{port}" in found.serve
    assert found.build == "uv sync --frozen"


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", str(tmp_path)]) == 0
    assert "which you must change" in capsys.readouterr().out
    assert main(["init", str(tmp_path)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert main(["init", str(tmp_path / "none")]) == 2
    assert "is no folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "serve", "build"),
    [
        ("go.mod", "./server -addr 127.0.0.1:{port}", "go build -o server ."),
        ("package.json", "PORT={port} node server.js", ""),
    ],
)
def test_another_language_gets_a_command_of_its_own(
    name: str, serve: str, build: str, tmp_path: Path
) -> None:
    (tmp_path / name).touch()
    assert main(["init", str(tmp_path)]) == 0
    found = read.load(str(tmp_path / "race.toml"))
    assert isinstance(found, AppScenario)
    assert (found.serve, found.build) == (serve, build)


SHOP = """
app = FastAPI(lifespan=life)  # asyncpg
URL = os.environ["DATABASE_URL"]
@app.post("/orders")
@app.get("/items/{number}")
@app.get("/health")
@app.get("/items", tags=["x"])
"""
SITE = """
app = Flask(__name__)
@app.route("/buy", methods=["POST"])
@app.route("/user/<name>")
@app.route("/list", methods=["GET", "POST"])
"""
GO = """
mux.HandleFunc("POST /buy", buy)
mux.HandleFunc("GET /item/{id}", one)
mux.HandleFunc("/all", all)
"""
NODE = "app.get('/item/:id', f)\napp.get('/all', f)\n"
ROUTES = {"shop.py": (SHOP, "/items"), "site.py": (SITE, "/list"), "main.go": (GO, "/all")}


@pytest.mark.parametrize("name", [*ROUTES, "server.js"])
def test_the_first_request_is_a_route_that_the_source_has(name: str, tmp_path: Path) -> None:
    text, page = ROUTES.get(name, (NODE, "/all"))
    (tmp_path / name).write_text(text)
    assert main(["init", str(tmp_path)]) == 0
    found = read.load(str(tmp_path / "race.toml"))
    assert isinstance(found, AppScenario)
    assert [one.path for one in found.requests] == [page]
    assert found.ready == ("/health" if text is SHOP else None)


def test_a_source_that_reads_database_url_gets_a_database(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    (tmp_path / "alembic.ini").touch()
    (tmp_path / "uv.lock").touch()
    assert main(["init", str(tmp_path)]) == 0
    found = read.load(str(tmp_path / "race.toml"))
    assert isinstance(found, AppScenario)
    assert (found.database, found.prepare) == ("postgres", "uv run alembic upgrade head")
    assert found.env == {"DATABASE_URL": "{database_url}"}


def test_another_database_stays_a_comment(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SHOP.replace("asyncpg", "asyncmy"))
    assert main(["init", str(tmp_path)]) == 0
    found = read.load(str(tmp_path / "race.toml"))
    assert isinstance(found, AppScenario)
    assert (found.database, found.env) == ("", {})
