'use strict'
// The questions of the harness and their answers; an error is an answer, too.

const { Pool } = require('./pool')
const { DRIVERS, Unsupported } = require('./registry')
const { report } = require('./histogram')
const { inALine } = require('./workers')
const { encode } = require('./values')

/** One driver, from the question `open` to the end. */
class Session {
  constructor () {
    this.pool = null
  }

  /** Return the answer to a line; null if the line asks to end. */
  async answer (line) {
    try {
      const question = JSON.parse(line)
      return question.do === 'end' ? null : await this.do(question)
    } catch (error) {
      if (error instanceof Unsupported) return { unsupported: error.message }
      return { error: inALine(error) }
    }
  }

  /** Whether the database ended connections with an operation under way. */
  get terminated () {
    return this.pool !== null && this.pool.terminated
  }

  async close () {
    if (this.pool) await this.pool.keep(0)
    this.pool = null
  }

  do (question) {
    if (question.do === 'open') return this.open(question)
    if (this.pool === null) throw new Error('nothing is open')
    if (question.do === 'check') return this.check(question)
    if (question.do === 'drive') return this.drive(question)
    throw new Error(`unknown question '${question.do}'`)
  }

  async open ({ driver, address, options }) {
    if (!Object.hasOwn(DRIVERS, driver)) throw new Error(`there is no driver '${driver}' in Node`)
    await this.close()
    const Driver = DRIVERS[driver]()
    const pool = new Pool(new Driver(address, options))
    await pool.open(1)
    this.pool = pool
    return { ready: true }
  }

  async check ({ operation }) {
    const { names, rows, count } = await this.pool.check(operation)
    const kinds = names.map((_, place) => (operation.columns[place] || [])[1] || '')
    return {
      rows: rows.map(row => names.map((name, place) => encode(row[name], kinds[place]))),
      count
    }
  }

  async drive ({ operation, seconds, concurrency, overtime }) {
    if (!(seconds > 0 && overtime > 0 && concurrency >= 1)) {
      throw new Error('seconds, overtime and concurrency must be above zero')
    }
    return report(await this.pool.drive(operation, seconds, concurrency, overtime), overtime)
  }
}

module.exports = { Session }
