/** Asks the running server and prints what it answers: `node ask.mjs token`. Waits up to 20 seconds. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

const [name] = process.argv.slice(2)
mkdirSync('requests', { recursive: true })
writeFileSync(`requests/${name}.ask`, '')
const until = Date.now() + 20_000
while (!existsSync(`requests/${name}.answer`)) {
  if (Date.now() > until) throw new Error('The server does not answer: does it run?')
  await wait(50)
}
console.log(readFileSync(`requests/${name}.answer`, 'utf8').trim())
