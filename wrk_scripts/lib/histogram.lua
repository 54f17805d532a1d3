-- Reads the latencies that wrk recorded, and undoes wrk's correction of them.
--
-- wrk 4.1 records ONE latency for each batch of pipelined requests, from when it starts to write the
-- batch until it has read the LAST answer. With depth 1 a batch is a request. A latency above
-- --timeout is not recorded but counted as a timeout; a request without an answer leaves no trace.
--
-- After the run, before done() is called, wrk "corrects" the counts for coordinated omission. With
-- integer division throughout,
--
--     E = duration_us / (responses / connections)
--
-- is the mean time between two RESPONSES of one connection, and every latency n > 2E adds invented
-- latencies n-E, n-2E, ... down to, but not including, E. In a closed loop nothing was omitted: a
-- connection that waits is not due to send. With pipelining E is about 1/depth of the time of a
-- batch, so a batch of time T adds about depth-1 values spread evenly below T, and median and mean
-- come out at about half the true ones. wrk prints those in its "Latency" and "Distribution" lines.
--
-- Let h(x) be the true count of the latency x and g(x) the corrected one. wrk reads each n before
-- it adds to it, as invented values are always smaller than their source, so
--
--     g(x) = h(x)                               for x <= E
--     g(x) = h(x) + h(x+E) + h(x+2E) + ...      for x >  E
--
-- and therefore, exactly and without an estimate,
--
--     h(x) = g(x)                               for x <= E
--     h(x) = g(x) - g(x+E)                      for x >  E
--
-- A wrong E, from a wrong number of connections, shows as a negative count; then nothing is reported.
-- At more than a million answers a second on ONE connection E is 0 and wrk's own loop never ends, so
-- a program that starts wrk needs a timeout.
--
-- A percentile is the nearest rank (the smallest recorded latency that at least p % of the batches
-- do not exceed), in microseconds, over all completed batches. For depth d it is the time of a batch
-- of d requests: an upper bound for each of them, and not the time of one, which wrk cannot tell.

local histogram = {}

local LAYOUT = [[
  typedef struct { uint64_t count, limit, min, max; uint64_t data[]; } wrk_stats;
]]

--- Returns the pairs (latency in us, count), ascending, through wrk's Lua interface.
-- latency(i) searches from the start each time, which takes seconds to minutes for many values.
function histogram.read_by_call(latency)
  local values, counts = {}, {}
  for i = 1, #latency do values[i], counts[i] = latency(i) end
  return values, counts
end

--- Returns the same pairs in one pass over wrk's own array, or nil if its layout is another.
function histogram.read_by_pointer(latency)
  local found, ffi = pcall(require, "ffi")
  if not found or not pcall(ffi.cdef, LAYOUT) then return nil end
  local stats = ffi.cast("wrk_stats **", latency)[0]
  local first, last = latency.min, latency.max
  if tonumber(stats.min) ~= first or tonumber(stats.max) ~= last or last >= tonumber(stats.limit) then
    return nil
  end
  local values, counts, size = {}, {}, 0
  for value = first, last do
    local count = tonumber(stats.data[value])
    if count > 0 then
      size = size + 1
      values[size], counts[size] = value, count
    end
  end
  return values, counts
end

--- Returns E in us, or nil if wrk corrected nothing (under one response a connection).
function histogram.expected_interval(duration_us, responses, connections)
  local each = math.floor(responses / connections)
  if each == 0 then return nil end
  return math.floor(duration_us / each)
end

--- Returns the true pairs from the corrected ones, or nil if wrk did not use this `interval`.
function histogram.undo(values, counts, interval)
  if not interval then return values, counts end
  local kept, true_counts, ahead = {}, {}, 1
  for i, value in ipairs(values) do
    local count = counts[i]
    if value > interval then
      while values[ahead] and values[ahead] < value + interval do ahead = ahead + 1 end
      if values[ahead] == value + interval then count = count - counts[ahead] end
    end
    if count < 0 then return nil end
    if count > 0 then
      kept[#kept + 1], true_counts[#kept + 1] = value, count
    end
  end
  return kept, true_counts
end

--- Returns the number of batches, and the sum of their latencies in us.
function histogram.totals(values, counts)
  local number, sum = 0, 0
  for i, value in ipairs(values) do
    number = number + counts[i]
    sum = sum + counts[i] * value
  end
  return number, sum
end

--- Returns the nearest-rank percentile in us over the pairs and `left_out` more batches that took
-- longer than all of them; nil if the rank falls among those, or if there are no pairs.
function histogram.percentile(values, counts, percent, left_out)
  local rank = math.ceil(percent / 100 * (histogram.totals(values, counts) + left_out) - 1e-9)
  local seen = 0
  for i, value in ipairs(values) do
    seen = seen + counts[i]
    if seen >= rank then return value end
  end
  return nil
end

--- Returns the upper end of the bucket of `value`: exact below 32 us, then 16 buckets an octave (at
-- most 6.25 % wide). The grid is fixed, so that histograms of several runs can be added up.
function histogram.bucket(value)
  local width = 1
  while value >= 32 * width do width = width * 2 end
  return (math.floor(value / width) + 1) * width - 1
end

--- Returns [[upper end in us, count], ...], ascending, without empty buckets.
function histogram.compact(values, counts)
  local buckets = {}
  for i, value in ipairs(values) do
    local upper, last = histogram.bucket(value), buckets[#buckets]
    if last and last[1] == upper then
      last[2] = last[2] + counts[i]
    else
      buckets[#buckets + 1] = { upper, counts[i] }
    end
  end
  return buckets
end

return histogram
