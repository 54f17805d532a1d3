'use strict'

const { Readable } = require('node:stream')
const { pipeline } = require('node:stream/promises')
const { Client } = require('pg')
const { from } = require('pg-copy-streams')
const { copyText } = require('../values')

/** pg, in JavaScript; COPY is in a package of its own, pg-copy-streams. */
module.exports = class Pg {
  constructor (address, { prepared }) {
    const { host, path, port, user, password, name: database } = address
    this.settings = {
      host: path || host,
      port: port || undefined,
      user: user || undefined,
      password: password || undefined,
      database: database || undefined,
      connectionTimeoutMillis: 10000
    }
    this.prepared = prepared
  }

  async connect () {
    const client = new Client(this.settings)
    client.on('error', () => {}) // the query that is under way fails with it
    await client.connect()
    return client
  }

  close (client) {
    return client.end()
  }

  query (client, operation) {
    const question = this.question(operation)
    const { args } = operation
    return () => client.query(question(args))
  }

  copy (client, operation) {
    const statement = operation.sql
    return async () => {
      const stream = client.query(from(statement))
      await pipeline(Readable.from(copyText(operation.records)), stream)
      return stream
    }
  }

  /** A loop in a transaction: pg waits for each answer before it sends the next query. */
  batch (client, operation) {
    const question = this.question(operation)
    return async () => {
      await client.query('begin')
      try {
        for (const record of operation.records) await client.query(question(record))
        await client.query('commit')
      } catch (error) {
        await client.query('rollback')
        throw error
      }
    }
  }

  /** A statement that has a name is prepared, once for each connection. */
  question ({ sql: text, statement: name }) {
    return this.prepared ? values => ({ name, text, values }) : values => ({ text, values })
  }

  read (result, { records }) {
    if (records.length) return { names: [], rows: [], count: records.length }
    return { names: result.fields.map(({ name }) => name), rows: result.rows, count: result.rowCount }
  }
}
