'use strict'
// The runner of Node's drivers: JSON lines on stdin and stdout (docs/adding-a-driver.md).

const readline = require('node:readline')
const { Session } = require('./session')
const { inALine } = require('./workers')

// A driver may print: that must not be taken for an answer.
console.log = console.info = console.error

// The kernel closes the connections of a process that ends, even if they wait for an answer.
process.on('SIGTERM', () => process.exit(0))

const session = new Session()

process.on('uncaughtException', error => {
  console.error(`runner: ${inALine(error)}`)
  // Postgres.js may write to the socket of a connection that the database has terminated, and nobody
  // can catch that error. The answer to the load is still needed.
  if (!session.terminated) process.exit(1)
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
