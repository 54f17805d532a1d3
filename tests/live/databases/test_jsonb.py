"""The layout with one JSONb column for each table: its indexes, and the steps of the article."""

from __future__ import annotations

import pytest

from data_interface.postgres import jsonb
from data_interface.store import StoreError
from tests.live.databases.on_sql import opened, store_at
from tests.live.databases.test_postgres import connected, new_database
from tests.support.stores.bench import ask, new_ballot, vote

DATABASE = "postgres"


async def test_pages_read_by_index(server: str) -> None:
    async with new_database(server) as url, opened("postgresjson", url):
        connection = await connected(url)
        await connection.execute(f"SET search_path = {jsonb.SCHEMA}")
        arguments = {"KEEP_TOKEN": "'a', 1, 'b'", "RENAME_STICKER": "1, 2, 'c'", "PACK": "1"}
        names = ("RANDOM_STICKER", "COUNT_VIEW", "BEST", "WORST", "STICKERS", "ONE_STICKER")
        for name in (*names, *arguments):
            sql = getattr(jsonb.statements, name)
            given = arguments.get(name) or ", ".join("1" for one in ("$1", "$2") if one in sql)
            await connection.execute(f"PREPARE {name} AS {sql}")
            call = f"EXECUTE {name}({given})" if given else f"EXECUTE {name}"
            plan = "\n".join(row[0] for row in await connection.fetch(f"EXPLAIN {call}"))
            assert "Seq Scan" not in plan, plan
        await connection.close()


async def test_every_step_of_the_article_answers(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with new_database(server) as url:
        for step in jsonb.STEPS:
            monkeypatch.setenv(jsonb.STEP, step)
            async with opened("postgresjson", url) as store:
                one = await new_ballot(store)
                again = await new_ballot(store, (one.session, "127.0.0.2", "another"))
                assert again.session == one.session
                _, best = await ask(store, "podium", (one.session, "127.0.0.3", "third"), 9, True)
                assert len({row[0] for row in best}) == 9
                assert await vote(store, one.left_token, one.right_token)
                connection = await store._driver.connect()  # type: ignore[attr-defined]
                sql = "SELECT visits, address, agent FROM sessions WHERE session = $1"
                found = await connection.fetch(sql, one.session)
                await store._driver.disconnect(connection)  # type: ignore[attr-defined]
                assert [tuple(row) for row in found] == [(3, "127.0.0.3", "third")]
    monkeypatch.setenv(jsonb.STEP, "last")
    with pytest.raises(StoreError, match="SITE_JSONB=last: must be one of first, rewritten"):
        store_at("postgresjson", server)
