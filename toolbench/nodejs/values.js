'use strict'
// Values between JSON and JavaScript, and as PostgreSQL's texts.

const FLOATS = ['float4', 'float8']

/** The JavaScript value of one in JSON, or in {"bytes": "00ff"} where JSON has no type. */
function plain (value) {
  if (Array.isArray(value)) return value.map(plain)
  if (value !== null && typeof value === 'object') {
    if (typeof value.bytes === 'string') return Buffer.from(value.bytes, 'hex')
    throw new Error(`no JavaScript value is known for ${JSON.stringify(value)}`)
  }
  return value
}

/**
 * A value as a pair: the type that the driver's user gets, and a text. A number is an integer or a
 * float as its column is: to JavaScript they are the same. `kind` is the database's type.
 */
function tagged (value, kind) {
  if (value === null || value === undefined) return ['null', null]
  if (Array.isArray(value)) {
    const inside = kind.replace(/\[\]$/, '')
    return ['array', value.map(one => tagged(one, inside))]
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

/** Records in the text format of COPY, in chunks of many lines, as the streams of drivers want it. */
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

module.exports = { copyText, plain, tagged }
