"""The wrk scripts against servers whose behaviour is known.

wrk exits with 0 whatever happened, so each test looks at the line of JSON only.
"""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from tests.support.wrk_lab import CONNECTIONS, DELAY, GOOD, SCRIPTS, FaultyServer, load, lua, wrk


def nearest_rank(ordered: list[float], percent: int) -> float:
    return ordered[-(-percent * len(ordered) // 100) - 1]


@pytest.mark.parametrize(("depth", "slow_share"), [(1, 0.1), (8, 0.8)])
def test_percentiles_agree_with_the_clock_of_the_server(
    server: FaultyServer, depth: int, slow_share: float
) -> None:
    # One request in ten waits. Of five batches of eight, four hold exactly one such request.
    result = load(server.url, "--", "--path", "/slow", "--depth", str(depth))
    times = sorted(server.batch_us)
    latency = result["latency_us"]
    # wrk's clock also runs while a busy machine keeps it from reading: its tail may be longer.
    for percent, noise in ((50, 20_000), (75, 20_000), (99, 80_000)):
        reported, measured = latency[f"p{percent}"], nearest_rank(times, percent)
        assert (reported >= DELAY * 0.98e6) == (measured >= DELAY * 0.98e6)
        assert reported == pytest.approx(measured, rel=0.5, abs=noise)
    assert latency["mean"] == pytest.approx(sum(times) / len(times), rel=0.3, abs=8_000)
    batches = sum(count for _, count in result["histogram"])
    slow = sum(count for upper, count in result["histogram"] if upper >= DELAY * 1e6)
    assert slow / batches == pytest.approx(slow_share, rel=0.15)
    assert 0 <= result["responses"] - batches * depth <= CONNECTIONS * depth
    assert (server.deepest, result["depth"]) == (depth, depth)


def test_undoing_the_correction_gives_back_every_count(tmp_path: Path) -> None:
    code = """
    local histogram = require("lib.histogram")
    local function corrected(data, interval, max)
      for n = interval * 2, max do
        local m = n - interval
        while data[n] > 0 and m > interval do
          data[m], m = data[m] + data[n], m - interval
        end
      end
    end
    local function pairs_of(data, max)
      local values, counts = {}, {}
      for n = 0, max do
        if data[n] > 0 then values[#values + 1], counts[#counts + 1] = n, data[n] end
      end
      return values, counts
    end
    for round = 1, 300 do
      local data, max, interval = {}, math.random(1, 400), math.random(1, 150)
      for n = 0, max do data[n] = math.random() < 0.2 and math.random(9) or 0 end
      local values, counts = pairs_of(data, max)
      corrected(data, interval, max)
      local made, made_counts = pairs_of(data, max)
      local back, back_counts = histogram.undo(made, made_counts, interval)
      assert(table.concat(values, ",") == table.concat(back, ","))
      assert(table.concat(counts, ",") == table.concat(back_counts, ","))
    end
    assert(not histogram.undo({ 10, 19 }, { 1, 2 }, 9))
    print("same")"""
    assert lua(tmp_path, code) == "same"


def test_both_ways_to_read_the_latencies_agree(server: FaultyServer, tmp_path: Path) -> None:
    script = tmp_path / "both.lua"
    script.write_text(f"""package.path = '{SCRIPTS}/?.lua;' .. package.path
    local histogram = require("lib.histogram")
    function done(summary, latency)
      local values, counts = histogram.read_by_call(latency)
      local fast, fast_counts = histogram.read_by_pointer(latency)
      local same = table.concat(values, ",") == table.concat(fast, ",")
        and table.concat(counts, ",") == table.concat(fast_counts, ",")
      print(string.format('json: {{"same": %s, "size": %d}}', tostring(same), #values))
    end""")
    result = load(server.url + "/slow", script=script)
    assert result["same"]
    assert result["size"] > 100


def test_percentiles_are_nearest_ranks(tmp_path: Path) -> None:
    code = """
    local percentile = require("lib.histogram").percentile
    local values, counts = { 5, 7, 900 }, { 50, 49, 1 }
    local function all(left_out)
      local found = {}
      for i, percent in ipairs({ 50, 50.1, 99, 99.9, 100 }) do
        found[i] = tostring(percentile(values, counts, percent, left_out))
      end
      return table.concat(found, " ")
    end
    print(all(0), all(1), tostring(percentile({}, {}, 50, 0)))"""
    found = lua(tmp_path, code).split("\t")
    assert found == ["5 7 7 900 900", "7 7 900 nil nil", "nil"]


@pytest.mark.parametrize(
    "words",
    ["-c7", "-c 7", "--connections=7", "--conn 7", "-Lc7", "-c3 -c7 -t2", "-c2k", "-H -c:9"],
)
def test_connections_are_read_from_the_command_line(tmp_path: Path, words: str) -> None:
    found = lua(tmp_path, 'print(require("lib.options").connections())', *words.split())
    assert found == {"-c2k": "2000", "-H -c:9": "10"}.get(words, "7")


@pytest.mark.parametrize("page", ["ugly", "about"])
def test_the_pages_of_the_article_are_pipelined_24_deep(
    server: FaultyServer, page: str, tmp_path: Path
) -> None:
    result = load(server.url, script=f"pipeline_{page}.lua", cwd=tmp_path)
    assert (result["depth"], server.deepest, server.paths) == (24, 24, {b"/" + page.encode()})
    assert (result["threads"], result["connections"]) == (1, CONNECTIONS)
    assert not any(result["errors"].values())
    assert result["requests"] == result["responses"] > 0
    assert result["bytes"] == pytest.approx(len(GOOD) * result["responses"], rel=0.05)
    assert result["rps"] == pytest.approx(result["requests"] / result["duration_us"] * 1e6)
    assert len(result["histogram"]) <= 300
    assert result["busy_connections"] > 0.7 * CONNECTIONS


def test_the_time_of_the_load_is_told_apart_from_the_programs(server: FaultyServer) -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    expected = load(server.url)["cpu_us"] / 1e6
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    # Start and end are some milliseconds each, and a load of a second is more than a millisecond.
    assert 0.001 < expected < spent < expected + 0.5


def test_depth_comes_from_the_option_then_the_environment(server: FaultyServer) -> None:
    environment = {"PATH": "/usr/bin:/bin", "PIPELINE_DEPTH": "3"}
    assert load(server.url, script="pipeline_ugly.lua", env=environment)["depth"] == 3
    given = load(server.url, "--", "--depth=2", script="pipeline_ugly.lua", env=environment)
    assert given["depth"] == 2


@pytest.mark.parametrize(
    ("script", "words", "message"),
    [
        ("pipeline_ugly.lua", ["--depth", "0"], "--depth must be a whole number"),
        ("pipeline_ugly.lua", ["--depth"], "--depth needs a value"),
        ("pipeline_ugly.lua", ["--path", "/x"], "unknown option '--path'"),
        ("pipeline.lua", ["--path", "good"], "--path must begin with '/'"),
        ("vote.lua", ["--depth", "8"], "unknown option '--depth'"),
    ],
)
def test_a_wrong_option_is_one_line_and_an_exit_status(
    server: FaultyServer, script: str, words: list[str], message: str
) -> None:
    code, _, err = wrk(server.url, "--", *words, script=script)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1


def test_status_errors_are_not_requests(server: FaultyServer) -> None:
    result = load(server.url, "--", "--path", "/bad", "--depth", "1")
    assert result["errors"]["status"] == pytest.approx(result["responses"] / 10, rel=0.05)
    assert result["requests"] == result["responses"] - result["errors"]["status"]
    nothing = load(server.url, "--", "--path", "/never-good", "--depth", "1")
    assert (nothing["requests"], nothing["rps"]) == (0, 0)
    assert nothing["errors"]["status"] == nothing["responses"] > 0


def test_late_answers_are_timeouts_and_leave_no_false_percentile(server: FaultyServer) -> None:
    words = ["-d2s", "--timeout", "1s", server.url, "--", "--path", "/late", "--depth", "1"]
    result = load(*words)
    assert result["errors"]["timeout"] == CONNECTIONS
    assert result["latency_us"]["p50"] < 1e6
    assert [result["latency_us"][name] for name in ("p99_9", "max", "mean")] == [None] * 3


def test_resets_are_read_errors(server: FaultyServer) -> None:
    result = load(server.url, "--", "--path", "/reset", "--depth", "1")
    broken = sum(result["errors"].values())
    assert result["errors"]["read"] == pytest.approx(broken, rel=0.02)
    assert result["errors"]["read"] == pytest.approx(result["requests"] / 9, rel=0.05)
    assert result["listening"]


def test_refused_connections_are_seen(server: FaultyServer) -> None:
    result = load(server.url, "--", "--path", "/refuse", "--depth", "1")
    assert not result["listening"]
    assert result["errors"]["connect"] + result["errors"]["write"] > 0
    code, out, err = wrk(server.url)
    assert code == 1
    assert "json:" not in out
    assert "unable to connect" in err


def test_hung_connections_show_as_idle(server: FaultyServer) -> None:
    result = load(server.url, "--", "--path", "/hang", "--depth", "1")
    assert not any(result["errors"].values())
    assert result["busy_connections"] < 0.55 * CONNECTIONS


def test_requests_go_to_a_unix_socket(server: FaultyServer, short_path: Path) -> None:
    socket, file = short_path / "s", short_path / "requests"
    server.also_on(socket)
    raw = b"GET /there HTTP/1.1\r\nHost: x\r\n\r\n"
    file.write_bytes(b"%d\n%s" % (len(raw), raw))
    result = load("-t2", f"http://unix{socket}", "--", "--file", str(file), script="requests.lua")
    assert result["requests"] > 100
    assert not any(result["errors"].values())
    assert server.paths == {b"/there"}
    assert result["listening"]


def test_a_unix_socket_that_is_not_there_is_no_load(short_path: Path) -> None:
    file = short_path / "requests"
    raw = b"GET / HTTP/1.1\r\n\r\n"
    file.write_bytes(b"%d\n%s" % (len(raw), raw))
    words = (f"http://unix{short_path}/none", "--", "--file", str(file))
    result = load(*words, script="requests.lua")
    assert (result["requests"], result["errors"]["connect"]) == (0, CONNECTIONS)
    assert not result["listening"]
    code, _, err = wrk(f"http://unix/{'x' * 200}", *words[1:], script="requests.lua")
    assert (code, err) == (2, "wrk_scripts: the path of a Unix socket has at most 107 bytes\n")
