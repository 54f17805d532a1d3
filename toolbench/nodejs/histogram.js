'use strict'
// The answer to `drive`, computed from the workers' notes when the time is up.

/**
 * Return the operations that succeeded, the seconds from the first one's begin to the last one's end,
 * errors by kind, latencies in nanoseconds, their histogram with upper bounds in microseconds, and the
 * CPU time that computing all this took.
 */
function report (workers, overtime) {
  const stopped = process.cpuUsage()
  const took = workers.flatMap(latencies)
  const errors = {}
  for (const { faults } of workers) {
    for (const fault of faults.values()) errors[fault] = (errors[fault] || 0) + 1
  }
  const late = workers.filter(worker => worker.late).length
  if (late) errors[`not answered within ${overtime} s`] = late
  const answer = {
    operations: took.length,
    seconds: span(workers),
    errors,
    latency_ns: figures(took),
    histogram: histogram(took),
    late
  }
  const { user, system } = process.cpuUsage(stopped)
  return { ...answer, beside_ns: (user + system) * 1000 }
}

/** Return the nanoseconds of a worker's operations that succeeded. */
function latencies ({ marks, faults }) {
  const found = []
  for (let place = 1; place < marks.length; place++) {
    if (!faults.has(place)) found.push(Math.round((marks[place] - marks[place - 1]) * 1e6))
  }
  return found
}

function span (workers) {
  let begin = Infinity
  let end = 0
  for (const { marks } of workers) {
    begin = Math.min(begin, marks[0])
    end = Math.max(end, marks[marks.length - 1])
  }
  return (end - begin) / 1000
}

/** Return least, mean, largest and standard deviation of the whole population. */
function figures (took) {
  if (took.length === 0) return {}
  let least = Infinity
  let most = 0
  let sum = 0
  for (const one of took) {
    least = Math.min(least, one)
    most = Math.max(most, one)
    sum += one
  }
  const mean = sum / took.length
  let squares = 0
  for (const one of took) squares += (one - mean) ** 2
  return { min: least, mean, max: most, deviation: Math.sqrt(squares / took.length) }
}

/** Return pairs (upper bound in microseconds, count), ascending. */
function histogram (took) {
  const counts = new Map()
  for (const one of took) {
    const bound = upper(one)
    counts.set(bound, (counts.get(bound) || 0) + 1)
  }
  const sorted = [...counts].sort(([one], [other]) => one - other)
  return sorted.map(([bound, count]) => [bound / 1000, count])
}

/** Return the least number of three digits, and zeros, that is not below it. */
function upper (nanoseconds) {
  let step = 1
  while (step * 1000 <= nanoseconds) step *= 10
  return Math.ceil(nanoseconds / step) * step
}

module.exports = { report }
