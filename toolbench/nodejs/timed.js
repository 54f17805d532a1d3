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
 * then the end of each operation; `faults` are those that failed, by their place in it.
 */
class Worker {
  constructor (call) {
    this.call = call
    this.marks = []
    this.faults = new Map()
    this.late = true
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
        if (this.faults.size === MOST_FAULTS) break
        this.faults.set(marks.length, inALine(error))
      }
      now = performance.now()
      marks.push(now)
    }
    this.late = false
  }
}

/** All of them at once; those that were `late` may still change. */
async function run (calls, seconds) {
  const workers = calls.map(call => new Worker(call))
  const until = performance.now() + seconds * 1000
  let timer
  const patience = new Promise(resolve => {
    timer = setTimeout(resolve, seconds * 1000 + PATIENCE_MS)
  })
  await Promise.race([Promise.all(workers.map(worker => worker.work(until))), patience])
  clearTimeout(timer)
  return workers
}

/** An error as it is reported. */
function inALine (error) {
  const text = String(error.message || error.code || '').split(/\s+/).join(' ').trim()
  return (text ? `${error.name}: ${text}` : String(error.name)).slice(0, LONGEST)
}

module.exports = { PATIENCE_MS, inALine, run }
