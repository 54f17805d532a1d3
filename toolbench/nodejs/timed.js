'use strict'
// The timed loops: one worker for each connection, one reading of the clock for each operation.

const { performance } = require('node:perf_hooks')

/** An operation that is under way when the time is up is waited for so long. */
const PATIENCE_MS = 5000
/** After so many a worker has shown what there is to see. */
const MOST_FAULTS = 1000
const LONGEST = 200

/**
 * Does one operation after the other. `marks` are readings of the clock in milliseconds: its begin,
 * then the end of each operation; `faults` are those that failed, by their place in it. It has `ended`
 * when nothing of it is under way; one that is `late` notes nothing more.
 */
class Worker {
  constructor (call) {
    this.call = call
    this.marks = []
    this.faults = new Map()
    this.late = false
    this.ended = false
  }

  /** Begin operations until the time is up. */
  async work (until) {
    const { call, marks } = this
    let now = performance.now()
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

/** All of them at once. */
async function run (calls, seconds) {
  const workers = calls.map(call => new Worker(call))
  const until = performance.now() + seconds * 1000
  for (const worker of workers) worker.done = worker.work(until)
  await within(seconds * 1000 + PATIENCE_MS, Promise.all(workers.map(worker => worker.done)))
  for (const worker of workers) worker.late = !worker.ended
  return workers
}

/** Waits for a promise, so long at most. */
async function within (milliseconds, promise) {
  let timer
  const patience = new Promise(resolve => { timer = setTimeout(resolve, milliseconds) })
  try {
    await Promise.race([promise, patience])
  } finally {
    clearTimeout(timer)
  }
}

/** An error as it is reported. */
function inALine (error) {
  const text = String(error.message || error.code || '').split(/\s+/).join(' ').trim()
  return (text ? `${error.name}: ${text}` : String(error.name)).slice(0, LONGEST)
}

module.exports = { PATIENCE_MS, inALine, run, within }
