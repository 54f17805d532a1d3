'use strict'
// The connections of a driver, and the operations that were checked on the first of them.

const { Unsupported } = require('./registry')
const { run, within } = require('./timed')
const { plain } = require('./values')

const CLOSE_MS = 1000
/** So long the database has to end what is late, and then the workers to see it. */
const MERCY_MS = 1000
const KINDS = ['query', 'copy', 'batch']

/**
 * A driver is a class with `connect()`, `close(connection)` and one method for each kind of
 * operations, `query`, `copy` and `batch`: given (connection, operation) it makes the call that one
 * operation is, with all looked up that a user would look up once. `read(result, operation)` says of
 * what a call gave `{ names, rows, count }`: columns, rows as objects, rows read or written. Where a
 * driver has nothing for a kind it throws `Unsupported` with it.
 */
class Crew {
  constructor (driver) {
    this.driver = driver
    this.seats = []
    this.operations = new Map()
    this.serial = 0
    this.ended = false
  }

  /** Have so many connections at least. */
  async open (number) {
    while (this.seats.length < number) {
      const connection = await this.driver.connect()
      try {
        const [found] = await this.asked(connection, 'select pg_backend_pid() as pid')
        this.seats.push({ connection, calls: new Map(), backend: found?.pid })
      } catch (error) {
        await this.closed(connection)
        throw error
      }
    }
  }

  /** Close all connections but the first ones; one that does not end is left to the kernel. */
  async keep (number) {
    const closing = this.seats.splice(number).map(({ connection }) => this.closed(connection))
    await Promise.all(closing)
  }

  /**
   * Do an operation once on the first connection, and close the others: who waits for a turn holds
   * one connection.
   */
  async check (sent) {
    const operation = this.known(sent)
    await this.keep(1)
    await this.open(1)
    const call = await this.bound(this.seats[0], operation)
    try {
      return this.driver.read(await call(), operation)
    } catch (error) {
      await this.keep(0) // what the connection is worth now is not known
      throw error
    }
  }

  /** So many workers on an operation that was checked before, each on its own connection. */
  async drive (name, seconds, concurrency) {
    const operation = this.operations.get(name)
    if (operation === undefined) throw new Error(`operation '${name}' was not checked`)
    await this.open(concurrency)
    const calls = []
    for (const seat of this.seats.slice(0, concurrency)) {
      calls.push(await this.bound(seat, operation))
    }
    const workers = await run(calls, seconds)
    await this.stop(workers)
    // What a connection is worth on which something failed, or is under way, is not known.
    const broken = workers.findIndex(worker => worker.late || worker.faults.size > 0)
    if (broken >= 0) await this.keep(broken)
    return workers
  }

  /**
   * Have the database end what late workers wait for, so that nothing goes on there or here while
   * others are measured.
   */
  async stop (workers) {
    const late = workers.filter(worker => worker.late)
    const backends = this.seats.filter((_, place) => workers[place]?.late).map(seat => seat.backend)
    if (late.length === 0) return
    this.ended = true
    await within(MERCY_MS, this.terminate(backends))
    await within(MERCY_MS, Promise.all(late.map(worker => worker.done)))
  }

  async terminate (backends) {
    let connection
    try {
      connection = await this.driver.connect()
      const which = `unnest('{${backends}}'::int4[]) as backend`
      await this.asked(connection, `select pg_terminate_backend(backend) from ${which}`)
    } catch {
      // The database answers nobody.
    } finally {
      if (connection) await this.closed(connection)
    }
  }

  /** The rows that a question of the crew's own gives. */
  async asked (connection, sql) {
    const operation = { sql, args: [], records: [], statement: 'of_the_crew' }
    const call = await this.driver.query(connection, operation)
    return this.driver.read(await call(), operation).rows
  }

  /** The operation that was sent, the same one as before where it was sent before. */
  known (sent) {
    const text = JSON.stringify(sent)
    const before = this.operations.get(sent.name)
    if (before && before.text === text) return before
    const operation = {
      ...sent,
      text,
      args: sent.args.map(plain),
      records: sent.records.map(record => record.map(plain)),
      // Of its prepared statement: no two operations have the same.
      statement: `${sent.name}_${++this.serial}`
    }
    this.operations.set(sent.name, operation)
    return operation
  }

  async bound ({ connection, calls }, operation) {
    if (!calls.has(operation)) {
      if (!KINDS.includes(operation.kind)) {
        throw new Unsupported(operation.kind)
      }
      calls.set(operation, await this.driver[operation.kind](connection, operation))
    }
    return calls.get(operation)
  }

  async closed (connection) {
    try {
      await within(CLOSE_MS, this.driver.close(connection))
    } catch {
      // It was broken.
    }
  }
}

module.exports = { Crew }
