'use strict'

const { Readable } = require('node:stream')
const { pipeline } = require('node:stream/promises')
const postgres = require('postgres')
const { copyText } = require('../values')

/**
 * Postgres.js. A connection is a client whose pool has one connection. Statements are texts of ours,
 * which only `unsafe` takes; queries are otherwise the same as those of its tagged templates.
 */
module.exports = class Postgres {
  constructor (address, { prepared }) {
    const { host, path, port, user, password, name: database } = address
    this.settings = {
      host: path || host,
      port: port || undefined,
      user: user || undefined,
      password: password || undefined,
      database: database || undefined,
      max: 1,
      connect_timeout: 10
    }
    this.options = { prepare: prepared, simple: false }
  }

  async connect () {
    const sql = postgres(this.settings)
    await sql`select 1` // it connects with its first query
    return sql
  }

  close (sql) {
    return sql.end({ timeout: 1 })
  }

  query (sql, { sql: text, args }) {
    const { options } = this
    return () => sql.unsafe(text, args, options)
  }

  copy (sql, operation) {
    const statement = operation.sql
    return async () => {
      const stream = await sql.unsafe(statement).writable()
      await pipeline(Readable.from(copyText(operation.records)), stream)
    }
  }

  /** Postgres.js sends the queries that a transaction returns without waiting for answers. */
  batch (sql, { sql: text, records }) {
    const { options } = this
    return () => sql.begin(inside => records.map(record => inside.unsafe(text, record, options)))
  }

  read (result, { records }) {
    if (records.length) return { names: [], rows: [], count: records.length }
    return { names: (result.columns || []).map(({ name }) => name), rows: [...result], count: result.count }
  }
}
