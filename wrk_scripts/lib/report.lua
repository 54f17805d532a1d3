-- Prints the one machine-readable line: `json: {...}`.
--
-- `responses` counts every answer, `requests` and `rps` only those with a status below 400.
-- `errors` are wrk's. `status`: answers with 400 and above. `read`: connections that broke, or were
-- closed without "Connection: close". `connect`, `write`: socket calls that failed. `timeout`:
-- batches whose last answer came later than --timeout. wrk writes without checking that connect()
-- succeeded, so a REFUSED connection counts as a write error; `listening` says whether the server
-- takes a connection after the run. If the server refuses from the beginning, wrk exits with 1 and
-- without this line; after any other error it exits with 0.
-- A request without an answer is in none of the counts. `busy_connections` is the mean number of
-- connections that waited for an answer that came (Little's law: sum of latencies / duration): close
-- to `connections` in a healthy run, without the ones that hang or were refused.
-- `cpu_us` is the processor time of the load itself, without wrk's start and these figures.
-- `latency_us` and `histogram` are explained in histogram.lua. A percentile that falls among the
-- timeouts is not known and null; so are max and mean if there are timeouts.

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

--- Returns the result as a table. Without `connections` the correction of the latencies cannot be
-- undone, and there are none.
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
    io.stderr:write("wrk_scripts: no latencies: the number of connections is unknown or wrong;"
      .. " give it with `-- --connections N`\n")
  end
  return result
end

--- Returns setup() and done() of a script; `finish(threads)` returns the script's own fields.
-- done() runs in a Lua state in which init() never ran, so it gets values from the threads.
function report.hooks(finish)
  local threads, began = {}, nil
  local function setup(thread)
    began = os.clock()
    threads[#threads + 1] = thread
    thread:set("thread_number", #threads)
  end
  local function done(summary, latency)
    local spent = os.clock() - began
    local given = threads[1]:get("given_connections")
    local result = report.figures(summary, latency, given or options.connections())
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
