'use strict'
// Drivers by name, with what loads each.

const fs = require('node:fs')
const path = require('node:path')

/** The message is a kind of operations that the driver has no call for. */
class Unsupported extends Error {}

const DRIVERS = {
  'node-pg': driver('./drivers/pg', 'pg', 'pg-copy-streams'),
  'node-pg-native': driver('./drivers/pg-native', 'pg-native', 'libpq'),
  'node-postgres': driver('./drivers/postgres', 'postgres'),
  nothing: driver('./drivers/nothing')
}

function driver (module, ...packages) {
  return () => {
    const missing = packages.find(name => !fs.existsSync(path.join(__dirname, 'node_modules', name)))
    if (missing) throw new Error(`${missing} is not installed: make drivers`)
    return require(module)
  }
}

module.exports = { DRIVERS, Unsupported }
