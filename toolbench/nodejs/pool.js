'use strict'
// The connections of a driver, and the operations that were checked on the first of them.

const { Unsupported } = require('./registry')
const { run, within } = require('./workers')
const { decode } = require('./values')

const CLOSE_MS = 1000
/** The database has this long to end operations that are late, and then the workers to notice. */
const GRACE_MS = 1000
const KINDS = ['query', 'copy', 'batch']

/**
 * A driver is a class with `connect()`, `close(connection)` and one method for each kind of
 * operations, `query`, `copy` and `batch`: given (connection, operation) it returns the call of an
 * operation, after everything that a user would do only once. `read(result, operation)` returns what
 * a call gave as `{ names, rows, count }`: columns, rows as objects, rows read or written. A driver
 * that has no call for a kind throws `Unsupported` with it.
 */
class Pool {
  constructor (driver) {
    this.driver = driver
    this.slots = []
    this.operations = new Map()
    this.serial = 0
    this.terminated = false
  }

  /** Open connections until there are this many. */
  async open (number) {
    while (this.slots.length < number) {
      const connection = await this.driver.connect()
      try {
        const [found] = await this.ask(connection, 'select pg_backend_pid() as pid')
        this.slots.push({ connection, calls: new Map(), backend: found?.pid })
      } catch (error) {
        await this.close(connection)
        throw error
      }
    }
  }

  /** Close all connections but the first ones; the kernel closes one that does not end. */
  async keep (number) {
    await Promise.all(this.slots.splice(number).map(({ connection }) => this.close(connection)))
  }

  /** Do an operation once on the first connection, and close the others. */
  async check (sent) {
    const operation = this.known(sent)
    await this.keep(1)
    await this.open(1)
    const call = await this.bind(this.slots[0], operation)
    try {
      return this.driver.read(await call(), operation)
    } catch (error) {
      await this.keep(0) // the state of the connection is unknown
      throw error
    }
  }

  /** Run workers on an operation that was checked before, each on its own connection. */
  async drive (name, seconds, concurrency, overtime) {
    const operation = this.operations.get(name)
    if (operation === undefined) throw new Error(`operation '${name}' was not checked`)
    await this.open(concurrency)
    const calls = []
    for (const slot of this.slots.slice(0, concurrency)) {
      calls.push(await this.bind(slot, operation))
    }
    const workers = await run(calls, seconds, overtime)
    await this.stop(workers)
    // The state of a connection is unknown if an operation failed on it, or is under way.
    const broken = workers.findIndex(worker => worker.late || worker.faults.size > 0)
    if (broken >= 0) await this.keep(broken)
    return workers
  }

  /**
   * Have the database end what late workers wait for, so that nothing of it runs while others are
   * measured.
   */
  async stop (workers) {
    const late = workers.filter(worker => worker.late)
    const backends = this.slots.filter((_, place) => workers[place]?.late).map(slot => slot.backend)
    if (late.length === 0) return
    this.terminated = true
    await within(GRACE_MS, this.terminate(backends))
    await within(GRACE_MS, Promise.all(late.map(worker => worker.done)))
  }

  async terminate (backends) {
    let connection
    try {
      connection = await this.driver.connect()
      const which = `unnest('{${backends}}'::int4[]) as backend`
      await this.ask(connection, `select pg_terminate_backend(backend) from ${which}`)
    } catch {
      // The database answers nobody.
    } finally {
      if (connection) await this.close(connection)
    }
  }

  /** Return the rows of a query of the pool's own. */
  async ask (connection, sql) {
    const operation = { sql, args: [], records: [], statement: 'of_the_pool' }
    const call = await this.driver.query(connection, operation)
    return this.driver.read(await call(), operation).rows
  }

  /** Return the operation that was sent: the same one if it was sent before. */
  known (sent) {
    const text = JSON.stringify(sent)
    const before = this.operations.get(sent.name)
    if (before && before.text === text) return before
    const operation = {
      ...sent,
      text,
      args: sent.args.map(decode),
      records: sent.records.map(record => record.map(decode)),
      // The name of its prepared statement, which no other operation has.
      statement: `${sent.name}_${++this.serial}`
    }
    this.operations.set(sent.name, operation)
    return operation
  }

  async bind ({ connection, calls }, operation) {
    if (!calls.has(operation)) {
      if (!KINDS.includes(operation.kind)) {
        throw new Unsupported(operation.kind)
      }
      calls.set(operation, await this.driver[operation.kind](connection, operation))
    }
    return calls.get(operation)
  }

  async close (connection) {
    try {
      await within(CLOSE_MS, this.driver.close(connection))
    } catch {
      // The connection was broken.
    }
  }
}

module.exports = { Pool }
