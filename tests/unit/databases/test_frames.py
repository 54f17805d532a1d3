"""The frames of each database's protocol, cut anywhere."""

from __future__ import annotations

from databases import find
from databases.database import UPKEEP

START_UP = b"\x00\x00\x00\x08\x00\x03\x00\x00"
QUERY = b"Q\x00\x00\x00\x0dSELECT 1\x00"
RESET_QUERY = b"Q\x00\x00\x00\x1aCLOSE ALL;\nRESET ALL;\x00"
SYNC = b"S\x00\x00\x00\x04"
# {type: SELECT, sync: 1} {}
SELECT = b"\xce\x00\x00\x00\x06\x82\x00\x01\x01\x01\x80"
# {type: SELECT, sync: 1} {space: _vspace}
SCHEMA = b"\xce\x00\x00\x00\x0a\x82\x00\x01\x01\x01\x81\x10\xcd\x01\x19"
PING = b"\xce\x00\x00\x00\x06\x82\x00\x40\x01\x01\x80"
# What MariaDB's clients send: length, number, command, rest.
GREETED = b"\x06\x00\x00\x01\x0d\xa2\xbf\x01me"
MYSQL_QUERY = b"\x09\x00\x00\x00\x03SELECT 1"
AUTOCOMMIT = b"\x11\x00\x00\x00\x03SET AUTOCOMMIT=1"
MYSQL_PING = b"\x01\x00\x00\x00\x0e"
MYSQL_RESET = b"\x01\x00\x00\x00\x1f"
PREPARE = b"\x09\x00\x00\x00\x16SELECT ?"
EXECUTE = b"\x05\x00\x00\x00\x17\x01\x00\x00\x00"
# The rest of a request of 16 MB has another number, and may be empty.
REST = b"\x04\x00\x00\x01\x03abc\x00\x00\x00\x02"
MYSQL_STREAM = GREETED + MYSQL_QUERY + AUTOCOMMIT + MYSQL_PING + MYSQL_RESET + PREPARE + EXECUTE

VALKEY_CALL = b"*3\r\n$5\r\nFCALL\r\n$4\r\nsi\r\n\r\n$1\r\n0\r\n"
VALKEY_NAME = b"*2\r\n$6\r\nclient\r\n$2\r\nID\r\n"
VALKEY_PING = b"*1\r\n$4\r\nPING\r\n"


def test_frames_are_found_however_they_are_cut() -> None:
    for parse, stream, names in (
        (
            find("postgres").requests,
            START_UP + QUERY + SYNC + RESET_QUERY,
            ["", "Query", "", UPKEEP],
        ),
        (
            find("tarantool").requests,
            SELECT + PING + SCHEMA + SELECT,
            ["SELECT", "", UPKEEP, "SELECT"],
        ),
        (
            find("mysql").requests,
            MYSQL_STREAM + REST,
            ["", "Query", UPKEEP, "", UPKEEP, UPKEEP, "Execute", "", ""],
        ),
        (
            find("valkey").requests,
            VALKEY_NAME + VALKEY_CALL + b"PING\r\n" + VALKEY_PING + VALKEY_CALL,
            [UPKEEP, "FCALL", "", "", "FCALL"],
        ),
    ):
        for size in (1, 3, 7, len(stream)):
            buffer = bytearray()
            seen = []
            for begin in range(0, len(stream), size):
                buffer += stream[begin : begin + size]
                seen += [name for name, _ in parse(buffer)]
            assert seen == names
            assert not buffer
