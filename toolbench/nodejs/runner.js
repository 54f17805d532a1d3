'use strict'
// The runner of Node's drivers: JSON lines on stdin and stdout (docs/adding-a-driver.md).

const readline = require('node:readline')
const { Session } = require('./session')
const { inALine } = require('./timed')

// What a driver may print is no answer.
console.log = console.info = console.error

// The kernel closes the connections of a process that ends, also those that wait.
process.on('SIGTERM', () => process.exit(0))

const session = new Session()

process.on('uncaughtException', error => {
  console.error(`runner: ${inALine(error)}`)
  // Postgres.js writes to the socket of a connection that was ended under it, where nobody can catch
  // what comes of that: who was late is to be told all the same.
  if (!session.ended) process.exit(1)
})

async function main () {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const answer = await session.answer(line)
    if (answer === null) break
    process.stdout.write(JSON.stringify(answer) + '\n')
  }
  await session.close()
  process.exit(0)
}

main()
