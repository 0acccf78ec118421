import { randomUUID } from 'node:crypto'
import { appendFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'

/** Used when there is no random source. */
const DEFAULT_TOKEN = 'dev-0000'
const token = typeof randomUUID === 'function' ? `run-${randomUUID()}` : DEFAULT_TOKEN

const server = createServer((request, response) => {
  appendFileSync('access.log', `${token}\n`)
  response.end(request.url === '/token' ? `${token}\n` : 'unknown\n')
})
server.listen(0, 'localhost', () => {
  const { port } = server.address()
  writeFileSync('port.txt', `${port}\n`)
  console.log(`Listening on http://localhost:${port}`)
})
