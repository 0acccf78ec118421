/** Asks the running server and prints what it answers: `node ask.mjs token`. Waits up to 20 seconds for it to start. */
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

const [name] = process.argv.slice(2)

async function ask() {
  const port = readFileSync('port.txt', 'utf8').trim()
  return (await fetch(`http://localhost:${port}/${name}`)).text()
}

let answer
for (const until = Date.now() + 20_000; answer === undefined; await wait(50)) {
  answer = await ask().catch(() => undefined)
  if (answer === undefined && Date.now() > until) throw new Error('The server does not answer: does it run?')
}
console.log(answer.trim())
