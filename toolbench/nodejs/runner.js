'use strict'
// The runner of Node's drivers: JSON lines on stdin and stdout (docs/adding-a-driver.md).

const readline = require('node:readline')
const { Session } = require('./session')
const { inALine } = require('./timed')

// What a driver may print is no answer.
console.log = console.info = console.error

// The kernel closes the connections of a process that ends, also those that wait.
process.on('SIGTERM', () => process.exit(0))

process.on('uncaughtException', error => {
  console.error(`runner: ${inALine(error)}`)
  process.exit(1)
})

async function main () {
  const session = new Session()
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const answer = await session.answer(line)
    if (answer === null) break
    process.stdout.write(JSON.stringify(answer) + '\n')
  }
  await session.close()
  process.exit(0)
}

main()
