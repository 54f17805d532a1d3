'use strict'

/**
 * Has no database: its operations do nothing, so that a test can measure what the workers' clock and
 * notes cost (tests/live/toolbench/test_overhead.py).
 */
module.exports = class Nothing {
  async connect () {}
  async close () {}
  query () { return async () => {} }
  copy () { return async () => {} }
  batch () { return async () => {} }
  read () { return { names: [], rows: [], count: 0 } }
}
