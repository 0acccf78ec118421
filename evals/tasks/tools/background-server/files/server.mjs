import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'

/** Used when there is no random source. */
const DEFAULT_TOKEN = 'dev-0000'
const token = typeof randomUUID === 'function' ? `run-${randomUUID()}` : DEFAULT_TOKEN

// Requests and answers are files: each answer lies beside its request.
mkdirSync('requests', { recursive: true })
setInterval(() => {
  for (const name of readdirSync('requests')) {
    if (!name.endsWith('.ask') || !existsSync(`requests/${name}`)) continue
    rmSync(`requests/${name}`)
    appendFileSync('access.log', `${token}\n`)
    writeFileSync(`requests/${name.replace('.ask', '.answer')}`, name === 'token.ask' ? `${token}\n` : 'unknown\n')
  }
}, 50)
console.log('Waiting for requests')
