'use strict'
// Values between JSON and JavaScript, and as PostgreSQL's texts.

const FLOATS = ['float4', 'float8']

/** Return the JavaScript value of an argument, JSON or {"bytes": "00ff"}. */
function decode (value) {
  if (Array.isArray(value)) return value.map(decode)
  if (value !== null && typeof value === 'object') {
    if (typeof value.bytes === 'string') return Buffer.from(value.bytes, 'hex')
    throw new Error(`no JavaScript value is known for ${JSON.stringify(value)}`)
  }
  return value
}

/**
 * Return a value as a pair: a tag, which is the type that the driver's user gets, and a text. JavaScript
 * has one type for all numbers: the database type `kind` decides whether one is an integer or a float.
 */
function encode (value, kind) {
  if (value === null || value === undefined) return ['null', null]
  if (Array.isArray(value)) {
    const inside = kind.replace(/\[\]$/, '')
    return ['array', value.map(one => encode(one, inside))]
  }
  if (Buffer.isBuffer(value)) return ['bytes', value.toString('hex')]
  if (typeof value === 'number') return [number(value, kind), String(value)]
  if (typeof value === 'string') return ['text', value]
  if (typeof value === 'boolean') return ['bool', String(value)]
  if (value instanceof Date) return ['Date', value.toISOString()]
  return ['json', JSON.stringify(value)]
}

function number (value, kind) {
  return FLOATS.includes(kind) || !Number.isInteger(value) ? 'float' : 'int'
}

const ROWS_IN_A_CHUNK = 1000
const ESCAPES = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

/** Yield records in the text format of COPY, in chunks of many lines, as the drivers' streams want it. */
function * copyText (records) {
  for (let begin = 0; begin < records.length; begin += ROWS_IN_A_CHUNK) {
    yield records.slice(begin, begin + ROWS_IN_A_CHUNK).map(line).join('')
  }
}

function line (record) {
  return record.map(field).join('\t') + '\n'
}

function field (value) {
  if (value === null) return '\\N'
  if (Buffer.isBuffer(value)) return `\\\\x${value.toString('hex')}`
  if (typeof value === 'string') return value.replace(/[\\\t\n\r]/g, sign => ESCAPES[sign])
  return String(value)
}

module.exports = { copyText, decode, encode }
