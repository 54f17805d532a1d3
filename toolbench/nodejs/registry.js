'use strict'
// Drivers by name: what loads each, and the packages whose versions count.

const fs = require('node:fs')
const path = require('node:path')

/** A kind of operations that the driver has nothing for. */
class Unsupported extends Error {}

const DRIVERS = {
  'node-pg': driver('./drivers/pg', 'pg', 'pg-copy-streams'),
  'node-pg-native': driver('./drivers/pg-native', 'pg-native', 'libpq'),
  'node-postgres': driver('./drivers/postgres', 'postgres'),
  nothing: driver('./drivers/nothing')
}

function driver (module, ...packages) {
  const load = () => {
    const missing = packages.find(name => version(name) === null)
    if (missing) throw new Error(`${missing} is not installed: make drivers`)
    return require(module)
  }
  return { load, packages }
}

/** The version of an installed package; null where it is not there. */
function version (name) {
  const file = path.join(__dirname, 'node_modules', name, 'package.json')
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')).version : null
}

module.exports = { DRIVERS, Unsupported, version }
