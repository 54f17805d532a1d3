'use strict'
// The measured loops: each worker reads the clock once for each operation.

const { performance } = require('node:perf_hooks')

/** A worker stops after this many errors. */
const MOST_FAULTS = 1000
const LONGEST_ERROR = 200

/**
 * Does one operation after the other. `marks` are readings of the clock in milliseconds: when the
 * worker began, then the end of each operation; `faults` are the operations that failed, by their
 * place in marks. A worker that is `late` notes nothing more; it has `ended` when its last operation
 * has.
 */
class Worker {
  constructor (call) {
    this.call = call
    this.marks = []
    this.faults = new Map()
    this.late = false
    this.ended = false
  }

  /** Start operations until the length (in milliseconds) is over, which begins with the first. */
  async work (length) {
    const { call, marks } = this
    let now = performance.now()
    const until = now + length
    marks.push(now)
    while (now < until) {
      try {
        await call()
      } catch (error) {
        if (this.late) break
        if (this.faults.size === MOST_FAULTS) break
        this.faults.set(marks.length, inALine(error))
      }
      if (this.late) break
      now = performance.now()
      marks.push(now)
    }
    this.ended = true
  }
}

/** Run a worker for each call. */
async function run (calls, seconds, overtime) {
  const workers = calls.map(call => new Worker(call))
  for (const worker of workers) worker.done = worker.work(seconds * 1000)
  await within((seconds + overtime) * 1000, Promise.all(workers.map(worker => worker.done)))
  for (const worker of workers) worker.late = !worker.ended
  return workers
}

/** Wait for a promise, no longer than this. */
async function within (milliseconds, promise) {
  let timer
  const timeout = new Promise(resolve => { timer = setTimeout(resolve, milliseconds) })
  try {
    await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** Return an error as it is reported, without line breaks. */
function inALine (error) {
  const text = String(error.message || error.code || '').split(/\s+/).join(' ').trim()
  return (text ? `${error.name}: ${text}` : String(error.name)).slice(0, LONGEST_ERROR)
}

module.exports = { inALine, run, within }
