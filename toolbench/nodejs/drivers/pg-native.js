'use strict'

const Native = require('pg-native')
const { Unsupported } = require('../registry')

const CONNECT_SECONDS = 10

/** pg-native: libpq under Node, through its own interface and not through that of pg. */
module.exports = class PgNative {
  constructor (address, { prepared }) {
    this.settings = conninfo(address)
    this.prepared = prepared
  }

  connect () {
    const client = new Native()
    const connection = { client, fail: () => {} }
    // A query has no callback for a lost connection, and would wait for ever.
    client.on('error', error => connection.fail(error))
    return new Promise((resolve, reject) => {
      client.connect(this.settings, error => error ? reject(error) : resolve(connection))
    })
  }

  close ({ client }) {
    return new Promise(resolve => client.end(resolve))
  }

  async query (connection, operation) {
    const ask = await this.bind(connection, operation, operation.args.length)
    const values = operation.args.map(text)
    return () => ask(values)
  }

  /** pg-native documents no COPY. */
  copy (connection, { kind }) {
    throw new Unsupported(kind)
  }

  /** A loop in a transaction: pg-native waits for each answer before it sends the next question. */
  async batch (connection, operation) {
    const ask = await this.bind(connection, operation, operation.records[0].length)
    const records = operation.records.map(record => record.map(text))
    const say = words => answered(connection, done => connection.client.query(words, done))
    return async () => {
      await say('begin')
      try {
        for (const record of records) await ask(record)
        await say('commit')
      } catch (error) {
        await say('rollback')
        throw error
      }
    }
  }

  /** Return a function that executes a prepared statement, or sends its text each time. */
  async bind (connection, { sql, statement }, number) {
    const { client } = connection
    if (!this.prepared) {
      return values => answered(connection, done => client.query(sql, values, done))
    }
    await answered(connection, done => client.prepare(statement, sql, number, done))
    return values => answered(connection, done => client.execute(statement, values, done))
  }

  read (result, { records }) {
    if (records.length) return { names: [], rows: [], count: records.length }
    return { names: result.fields.map(({ name }) => name), rows: result.rows, count: result.rowCount }
  }
}

/** Return a promise of the result that pg-native calls back with, or of the connection's error. */
function answered (connection, send) {
  return new Promise((resolve, reject) => {
    connection.fail = reject
    send((error, rows, result) => error ? reject(error) : resolve(result))
  })
}

/** Return a value as a text, which is all that libpq takes. */
function text (value) {
  if (value === null) return null
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`
  if (Array.isArray(value)) return `{${value.map(one => JSON.stringify(one)).join(',')}}`
  return String(value)
}

function conninfo ({ host, path, port, user, password, name: database }) {
  const given = { host: path || host, port, user, password, dbname: database }
  const words = Object.entries(given)
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}='${String(value).replace(/[\\']/g, '\\$&')}'`)
  return [...words, 'sslmode=disable', `connect_timeout=${CONNECT_SECONDS}`].join(' ')
}
