'use strict'

/**
 * No database: its operations do nothing, so that what the workers' clock and notes cost can be told
 * (tests/toolbench/test_contract.py).
 */
module.exports = class Nothing {
  async connect () {}
  async close () {}
  query () { return async () => {} }
  copy () { return async () => {} }
  batch () { return async () => {} }
  read () { return { names: [], rows: [], count: 0 } }
}
