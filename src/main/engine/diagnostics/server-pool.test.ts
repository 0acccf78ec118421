import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { isAlive } from '../../../../test/support/marked-pids'
import { createScratch } from '../../../../test/support/scratch'
import { until } from '../../../../test/support/until'
import { DEFAULT_SETTINGS } from '../config/settings/settings'
import { createServerPool, type PoolLimits } from './server-pool'

/**
 * A language server in one file. It records its process id, reports an error in line 1 of a file that contains `bad`,
 * and exits at one that contains `crash`.
 */
const SERVER = `
const { appendFileSync } = require('node:fs')
appendFileSync(process.argv[2], process.pid + '\\n')
const send = (message) => {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message })
  process.stdout.write('Content-Length: ' + Buffer.byteLength(body) + '\\r\\n\\r\\n' + body)
}
let rest = Buffer.alloc(0)
process.stdin.on('data', (bytes) => {
  rest = Buffer.concat([rest, bytes])
  for (;;) {
    const end = rest.indexOf('\\r\\n\\r\\n')
    if (end < 0) return
    const length = Number(/Content-Length: (\\d+)/.exec(rest.toString('latin1', 0, end))[1])
    if (rest.length < end + 4 + length) return
    const { id, method, params } = JSON.parse(rest.toString('utf8', end + 4, end + 4 + length))
    rest = rest.subarray(end + 4 + length)
    const text = params?.textDocument?.text ?? params?.contentChanges?.[0]?.text
    if (text?.includes('crash')) process.exit(3)
    if (text?.includes('flood')) process.stdout.write('Content-Length: 99999999999\\r\\n\\r\\n')
    if (text?.includes('babble')) process.stdout.write('a warning\\nContent-Length: 2\\r\\n\\r\\n{}')
    if (text !== undefined) {
      const { uri, version } = params.textDocument
      const range = { start: { line: 0, character: 4 }, end: { line: 0, character: 5 } }
      const diagnostics = text.includes('bad') ? [{ range, severity: 1, message: 'is bad', source: 'test', code: 7 }, { range, severity: 2, message: 'a warning' }] : []
      const publish = () => send({ method: 'textDocument/publishDiagnostics', params: { uri, version, diagnostics } })
      publish()
      if (text.includes('again')) setInterval(publish, 20)
    } else if (method === 'exit') process.exit()
    else if (process.argv[3] === 'no-typescript') send({ id, error: { code: -32603, message: 'Could not find a valid TypeScript installation.' } })
    else if (id !== undefined && process.argv[3] !== 'hang') send({ id, result: method === 'initialize' ? { capabilities: {} } : null })
  }
})
`

function pool(limits: Partial<PoolLimits> = {}, how?: string, home?: string, problem?: string) {
  const scratch = createScratch({ 'server.cjs': SERVER, 'a.py': 'x = bad\n' })
  const starts = join(scratch.project, 'starts')
  const servers = {
    python: [process.execPath, join(scratch.project, 'server.cjs'), starts, ...(how === undefined ? [] : [how])],
  }
  const logged: string[] = []
  const made = createServerPool({
    home: home ?? scratch.home,
    env: () => ({ PATH: process.env['PATH'] ?? '' }),
    async settingsFor() {
      if (problem !== undefined) throw new Error(problem)
      return {
        settings: { ...DEFAULT_SETTINGS, diagnostics: { enabled: true, servers } },
        problems: [],
        trust: { state: 'nothing', hash: '' },
      }
    },
    log: (message) => void logged.push(message),
    limits,
  })
  const pids = (): number[] => (existsSync(starts) ? readFileSync(starts, 'utf8').trim().split('\n').map(Number) : [])
  onTestFinished(async () => {
    await made.close()
    expect(pids().filter(isAlive)).toEqual([])
    scratch.remove()
  })
  const file = join(scratch.project, 'a.py')
  return {
    made,
    pids,
    logged,
    home: scratch.home,
    root: scratch.project,
    file,
    put: (text: string) => writeFileSync(file, text),
  }
}

it('reports the errors of a file as it is on disk, without warnings', async () => {
  const { made, root, file, put } = pool()
  const server = await made.serverFor(root, file)
  expect(await server?.errorsOf(file)).toEqual([{ line: 1, column: 5, message: 'is bad', source: 'test 7' }])
  put('x = 1\n')
  expect(await server?.errorsOf(file)).toEqual([])
})

it('uses the latest errors of a server that keeps sending them', async () => {
  const { made, root, file, put } = pool()
  put('x = bad # again\n')
  const server = await made.serverFor(root, file)
  expect(await server?.errorsOf(file)).toMatchObject([{ message: 'is bad' }])
})

it('starts one server for many files', async () => {
  const { made, root, file, pids } = pool()
  const servers = await Promise.all(Array.from({ length: 5 }, () => made.serverFor(root, file)))
  expect(new Set(servers).size).toBe(1)
  expect(pids()).toHaveLength(1)
})

it.each([
  ['exits', 'crash'],
  ['sends a message without end', 'flood'],
  ['prints other text between its messages', 'babble'],
])('restarts a server that %s twice, and not again', async (_what, text) => {
  const { made, root, file, put, pids, logged } = pool()
  put(text)
  for (const n of [1, 2, 3]) {
    const server = await made.serverFor(root, file)
    expect(await server?.errorsOf(file)).toBeUndefined()
    await until(() => logged.length === n, `failure ${n} to be logged`)
  }
  expect(await made.serverFor(root, file)).toBeUndefined()
  expect(pids()).toHaveLength(3)
  expect(logged[2]).toContain('It is not started again.')
})

it('gives one hint if TypeScript is missing, and does not try again', async () => {
  const { made, root, file, pids, logged, home } = pool({}, 'no-typescript')
  expect(await made.serverFor(root, file)).toBeUndefined()
  expect(await made.serverFor(root, file)).toBeUndefined()
  expect(pids()).toHaveLength(1)
  expect(logged).toEqual([expect.stringContaining('npm install --save-dev typescript')])
  const next = pool({}, 'no-typescript', home)
  expect(await next.made.serverFor(next.root, next.file)).toBeUndefined()
  expect(next.logged).toEqual([])
})

it('closes even if a server never becomes ready', async () => {
  const { made, root, file, pids } = pool({}, 'hang')
  const starting = made.serverFor(root, file)
  await until(() => pids().length === 1, 'the server to start')
  await made.close()
  expect(await starting).toBeUndefined()
  expect(pids().filter(isAlive)).toEqual([])
})

it('stops an idle server and starts it again when needed', async () => {
  const { made, root, file, pids } = pool({ idleMs: 0, watchMs: 5 })
  await made.serverFor(root, file)
  await until(() => pids().every((pid) => !isAlive(pid)), 'the idle server to end')
  await made.serverFor(root, file)
  expect(pids()).toHaveLength(2)
})

it('stops a server that uses too much memory', async () => {
  const { made, root, file, pids, logged } = pool({ memoryBytes: 1, watchMs: 5 })
  await made.serverFor(root, file)
  await until(() => pids().every((pid) => !isAlive(pid)), 'the server to end')
  expect(logged[0]).toMatch(/was stopped: it used \d+ MiB of memory/)
})

it('provides no server for any concurrent request if the settings cannot be read', async () => {
  const { made, root, file, logged } = pool({}, undefined, undefined, 'permission denied')
  const asked = [1, 2, 3].map(() => made.serverFor(root, file))
  expect(await Promise.allSettled(asked)).toEqual(asked.map(() => ({ status: 'fulfilled', value: undefined })))
  expect(logged).toEqual(['A language server could not be started: permission denied'])
})
