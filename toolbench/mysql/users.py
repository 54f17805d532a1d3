"""The table of the article on asyncmy: users in nine columns, as many as a scenario asks for.

The server makes them from their numbers: they are the same on every machine.
"""

from __future__ import annotations

# ruff: noqa: S608  what is put together here are constants and a number

TABLE = "toolbench_users"
ROWS = "rows"
"""The size of an operation that says how many users there are."""

CREATE = f"""
    CREATE TABLE {TABLE} (
        id INT NOT NULL AUTO_INCREMENT PRIMARY KEY,
        user_id INT NOT NULL,
        username VARCHAR(50) NOT NULL,
        email VARCHAR(100) NOT NULL,
        created_at DATETIME NOT NULL,
        updated_at DATETIME NOT NULL,
        score DECIMAL(10, 2) NOT NULL,
        is_active TINYINT NOT NULL,
        data TEXT,
        KEY users_by_id (user_id),
        KEY users_by_time (created_at)
    ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4"""
# `seq_1_to_9` is MariaDB's table of the numbers from 1 to 9.
FILL = f"""
    INSERT INTO {TABLE}
    SELECT seq, 1 + seq * 7919 % 10000, CONCAT('user_', seq), CONCAT('user_', seq, '@example.org'),
        '2024-02-29' + INTERVAL seq * 37 SECOND, '2024-02-29' + INTERVAL seq * 41 SECOND,
        seq * 7907 % 1000000 / 100, seq % 5 > 0, REPEAT(CONCAT('note ', seq, '; '), 1 + seq % 8)
    FROM seq_1_to_{{rows}}"""


def making(rows: int) -> list[str]:
    """Return the statements that make the table anew with so many users."""
    return [
        f"DROP TABLE IF EXISTS {TABLE}",
        CREATE,
        FILL.format(rows=rows),
        f"ANALYZE TABLE {TABLE}",
    ]
