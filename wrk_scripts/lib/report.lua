-- The one machine-readable line: `json: {...}`.
--
-- `responses` counts every answer; `requests` and `rps` only those with a status below 400, so that
-- an error never counts as a request. `errors` are wrk's: `status` answers with 400 and above;
-- `read` connections that broke or were closed without "Connection: close"; `connect`, `write`
-- socket calls that failed; `timeout` batches whose last answer came later than --timeout. wrk does
-- not look whether connect() succeeded before it writes, so a REFUSED connection is counted as a
-- write error: `listening`, whether the server takes a connection after the run, tells them apart.
-- A server that refuses from the beginning makes wrk exit with 1 and without this line; whatever
-- happens later, wrk exits with 0.
-- A request that is never answered is in none of the counts: `busy_connections` is the mean number
-- of connections that waited for an answer that came (Little's law: sum of latencies / duration);
-- in a healthy run it is close to `connections`, and hung or refused ones are missing from it.
-- `cpu_us` is the processor time that wrk used for the load itself: neither for its start nor for
-- these figures.
-- `latency_us` and `histogram` are explained in histogram.lua. A percentile that falls among the
-- timeouts is null, for it is not known; so are max and mean when there are timeouts.

local histogram = require("lib.histogram")
local json = require("lib.json")
local options = require("lib.options")

local report = {}

local PERCENTILES = { p50 = 50, p75 = 75, p90 = 90, p99 = 99, p99_9 = 99.9 }

local function read_true(summary, latency, connections)
  if not connections then return nil end
  local values, counts = histogram.read_by_pointer(latency)
  if not values then values, counts = histogram.read_by_call(latency) end
  local interval = histogram.expected_interval(summary.duration, summary.requests, connections)
  return histogram.undo(values, counts, interval)
end

local function latency_figures(values, counts, timeouts)
  local number, sum = histogram.totals(values, counts)
  local complete = number > 0 and timeouts == 0
  local figures = {
    max = complete and values[#values] or json.null,
    mean = complete and sum / number or json.null,
  }
  for name, percent in pairs(PERCENTILES) do
    figures[name] = histogram.percentile(values, counts, percent, timeouts) or json.null
  end
  return figures, sum
end

--- The result as a table. `connections` may be nil (unknown): then there are no latencies, for they
-- cannot be made right without it.
function report.figures(summary, latency, connections)
  local errors = summary.errors
  local good = summary.requests - errors.status
  local result = {
    requests = good,
    responses = summary.requests,
    duration_us = summary.duration,
    bytes = summary.bytes,
    rps = good / summary.duration * 1e6,
    connections = connections or json.null,
    errors = errors,
    latency_us = json.null,
    histogram = json.null,
    busy_connections = json.null,
  }
  local values, counts = read_true(summary, latency, connections)
  if values then
    local figures, sum = latency_figures(values, counts, errors.timeout)
    result.latency_us, result.histogram = figures, histogram.compact(values, counts)
    result.busy_connections = sum / summary.duration
  else
    io.stderr:write("wrk_scripts: no latencies: the number of connections is not known or not right;"
      .. " tell it with `-- --connections N`\n")
  end
  return result
end

--- setup() and done() of a script. `finish(threads)` gives the fields that are the script's own.
-- done() runs in a Lua state of its own, in which init() never ran: what init() decided and what
-- the threads counted is asked of the threads.
function report.hooks(finish)
  local threads, began = {}, nil
  local function setup(thread)
    began = os.clock()
    threads[#threads + 1] = thread
    thread:set("thread_number", #threads)
  end
  local function done(summary, latency)
    local spent = os.clock() - began
    local told = threads[1]:get("told_connections")
    local result = report.figures(summary, latency, told or options.connections())
    result.cpu_us = spent * 1e6
    result.threads = #threads
    result.depth = threads[1]:get("pipeline_depth")
    result.listening = wrk.connect(wrk.addrs[1])
    for key, value in pairs(finish and finish(threads) or {}) do result[key] = value end
    print("json: " .. json.encode(result))
  end
  return setup, done
end

return report
