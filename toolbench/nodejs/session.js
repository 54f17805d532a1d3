'use strict'
// Questions to a runner and their answers; a failure is an answer too.

const { Crew } = require('./crew')
const { DRIVERS, Unsupported } = require('./registry')
const { report } = require('./histogram')
const { inALine } = require('./timed')
const { tagged } = require('./values')

/** One driver, from the question `open` to the end. */
class Session {
  constructor () {
    this.crew = null
  }

  /** What is answered to a line; null where it says that this is the end. */
  async answer (line) {
    try {
      const question = JSON.parse(line)
      return question.do === 'end' ? null : await this.do(question)
    } catch (error) {
      if (error instanceof Unsupported) return { unsupported: error.message }
      return { error: inALine(error) }
    }
  }

  /** Whether connections were ended on which something was under way. */
  get ended () {
    return this.crew !== null && this.crew.ended
  }

  async close () {
    if (this.crew) await this.crew.keep(0)
    this.crew = null
  }

  do (question) {
    if (question.do === 'open') return this.open(question)
    if (this.crew === null) throw new Error('nothing is open')
    if (question.do === 'check') return this.check(question)
    if (question.do === 'drive') return this.drive(question)
    throw new Error(`unknown question '${question.do}'`)
  }

  async open ({ driver, address, options }) {
    if (!Object.hasOwn(DRIVERS, driver)) throw new Error(`there is no driver '${driver}' in Node`)
    await this.close()
    const Driver = DRIVERS[driver]()
    const crew = new Crew(new Driver(address, options))
    await crew.open(1)
    this.crew = crew
    return { ready: true }
  }

  async check ({ operation }) {
    const { names, rows, count } = await this.crew.check(operation)
    const kinds = names.map((_, place) => (operation.columns[place] || [])[1] || '')
    return {
      rows: rows.map(row => names.map((name, place) => tagged(row[name], kinds[place]))),
      count
    }
  }

  async drive ({ operation, seconds, concurrency }) {
    if (!(seconds > 0 && concurrency >= 1)) {
      throw new Error('seconds and concurrency must be above zero')
    }
    return report(await this.crew.drive(operation, seconds, concurrency))
  }
}

module.exports = { Session }
