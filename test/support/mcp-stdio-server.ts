/**
 * A stdio server of the Model Context Protocol that behaves as well, or as badly, as its arguments and calls request.
 * Written without a library, so that it can do what no library would. Each start is written to the file named by
 * `--starts`: a line with its process id.
 */
import { spawn } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const flags = new Map(
  process.argv.slice(2).map((arg) => arg.replace(/^--/, '').split('=') as [string, string | undefined]),
)
const cancelled: unknown[] = []
let extraTools = 0

const starts = flags.get('starts')
if (starts !== undefined) appendFileSync(starts, `${process.pid}\n`)
if (flags.has('ignore-term')) process.on('SIGTERM', () => undefined)
if (flags.has('ignore-end')) setInterval(() => undefined, 1000)
if (flags.has('crash-start')) {
  process.stderr.write('the configuration of this server is missing\n')
  process.exit(3)
}

function send(message: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

/** JSON.parse can read values nested this deep, but JSON.stringify cannot write them. */
const DEEP = `${'['.repeat(20_000)}${']'.repeat(20_000)}`

/** Sends every message that a server may send, with such values in it; then the answer for `how`. */
function sendDeep(id: unknown, how: unknown, token: unknown): void {
  const raw = (text: string): void => void process.stdout.write(`{"jsonrpc":"2.0",${text}}\n`)
  const all = ['"data"', '"_meta"', '"message"', '"progressToken"', '"requestedSchema"', '"messages"', '"uri"']
  const params = `{"level":"info",${all.map((name) => `${name}:${DEEP}`).join(',')}}`
  for (const method of ['message', 'progress', 'cancelled', 'tools/list_changed', 'resources/updated', 'unknown'])
    raw(`"method":"notifications/${method}","params":${params}`)
  raw(
    `"method":"notifications/progress","params":{"progressToken":${JSON.stringify(token)},"progress":1,"message":${DEEP}}`,
  )
  for (const [at, method] of ['elicitation/create', 'sampling/createMessage', 'roots/list', 'ping', 'odd'].entries())
    raw(`"id":"deep-${at}","method":"${method}","params":${params}`)
  for (const body of [`"result":${DEEP}`, `"result":{"a":${DEEP}}`, `"error":${DEEP}`]) raw(`"id":987654,${body}`)
  const answers: Record<string, string> = {
    list: `"result":${DEEP}`,
    structured: `"result":{"content":[{"type":"text","text":"[[]]"}],"structuredContent":{"a":${DEEP}}}`,
    content: `"result":{"content":[{"type":"resource","resource":${DEEP}},{"type":${DEEP}}],"_meta":${DEEP}}`,
    error: `"error":{"code":1,"message":"deep error","data":${DEEP}}`,
    odd: `"error":${DEEP}`,
    extra: '"result":{"content":[{"type":"text","text":"read"}],"_meta":null},"extra":1',
  }
  raw(`"id":${JSON.stringify(id)},${answers[String(how)]}`)
}

const tool = (name: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' }, n: { type: 'number' } } },
  ...more,
})

const NAMES =
  'echo env slow crash hang giant longline flood noise image links structured failing ' +
  'cancelled grow grandchild deaf silent-progress asks shouts changes nonsense generic-error deep'

function tools(): unknown[] {
  const list: unknown[] = [
    ...NAMES.split(' ').map((name) => tool(name)),
    tool('look', { annotations: { readOnlyHint: true } }),
    tool('wipe', { annotations: { destructiveHint: true } }),
    ...Array.from({ length: extraTools }, (_, n) => tool(`extra${n + 1}`)),
  ]
  if (flags.has('odd-form')) list.push(tool('odd-form'))
  if (!flags.has('bad-tools')) return list
  return [
    null,
    'a string',
    { name: 42 },
    { name: 'x'.repeat(5000), inputSchema: {} },
    { name: '', inputSchema: {} },
    tool('schema-is-string', { inputSchema: 'no schema' }),
    tool('schema-is-array', { inputSchema: { type: 'array' } }),
    tool('schema-is-huge', { inputSchema: { type: 'object', description: 'd'.repeat(200_000) } }),
    tool('odd field', { inputSchema: { type: 'object', properties: { 'a b/c': { type: 'string' } } } }),
    tool('alternatives', {
      inputSchema: {
        anyOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }, { properties: { b: { type: 'array' } } }],
      },
    }),
    tool('wröng näme/with:signs'),
    tool('wröng näme/with.signs'),
    tool('y'.repeat(120)),
    tool('echo', { description: 'the second of this name' }),
    tool('Read'),
    tool('hidden\u200bwords\u{e0041}', { description: 'seen\u{e0041}\u{e0042}\u202e' }),
    ...list,
  ]
}

function listTools(cursor: unknown): Record<string, unknown> {
  switch (flags.get('pages')) {
    case 'loop':
      return { tools: cursor === undefined ? tools() : [tool('second')], nextCursor: 'again' }
    case 'endless':
      return {
        tools: cursor === undefined ? tools() : [tool(`page${JSON.stringify(cursor)}`)],
        nextCursor: String(Number(cursor ?? 0) + 1),
      }
    case 'broken':
      if (cursor !== undefined) throw new Error('no such page')
      return { tools: tools(), nextCursor: '2' }
    default:
      return { tools: tools() }
  }
}

const text = (value: string): Record<string, unknown> => ({ content: [{ type: 'text', text: value }] })

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

async function call(
  id: unknown,
  name: string,
  input: Record<string, unknown>,
  token: unknown,
): Promise<Record<string, unknown> | undefined> {
  const n = Number(input['n'] ?? 1)
  switch (name) {
    case 'echo':
    case 'look':
    case 'wipe':
      return text(typeof input['text'] === 'string' ? input['text'] : '')
    case 'env':
      return text(JSON.stringify(process.env))
    case 'slow':
      for (let step = 1; step <= n; step++) {
        await new Promise((resolve) => setTimeout(resolve, 100))
        if (token !== undefined)
          send({
            method: 'notifications/progress',
            params: { progressToken: token, progress: step, total: n, message: `step ${step}` },
          })
      }
      return text(`after ${n} steps`)
    case 'crash':
      process.stderr.write('something broke at line 7\n')
      process.exit(9)
    // oxlint-disable-next-line no-fallthrough
    case 'hang':
      return undefined
    case 'deaf':
      process.stdin.pause()
      setInterval(() => undefined, 1000)
      // From now on, reads and answers nothing, not even a ping.
      process.stdin.removeAllListeners()
      return undefined
    case 'giant':
      return text('g'.repeat(n * 1_000_000))
    case 'longline':
      await writeLong(n)
      return undefined
    case 'flood':
      for (let at = 0; at < n; at++) {
        const params = { level: 'info', data: 'f'.repeat(200) }
        const line = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params })
        if (!process.stdout.write(`${line}\n`)) await new Promise((resolve) => process.stdout.once('drain', resolve))
      }
      return text('flooded')
    case 'asks':
      for (let at = 0; at < n; at++) send({ id: `ask-${at}`, method: at % 2 === 0 ? 'roots/list' : 'no/such/method' })
      return text('asked')
    case 'odd-form': {
      const properties = { address: { type: 'object', properties: {} } }
      const params = { message: 'Where to?', requestedSchema: { type: 'object', properties } }
      send({ id: 'odd-form', method: 'elicitation/create', params })
      return text('not asked')
    }
    case 'changes':
      for (let at = 0; at < n; at++) send({ method: 'notifications/tools/list_changed' })
      return text('changed')
    case 'shouts':
      for (let at = 0; at < n; at++) {
        if (!process.stderr.write(`${'s'.repeat(1000)}\n`))
          await new Promise((resolve) => process.stderr.once('drain', resolve))
      }
      return text('shouted')
    case 'noise':
      process.stdout.write('Listening on port 3000\n{"jsonrpc": "2.0", "oops"\n[]\n\n{"no":"message"}\n')
      process.stdout.write(Buffer.from([0xff, 0xfe, 0x80, 0x0a, 0xc3, 0x28, 0x0a]))
      process.stderr.write(`${'e'.repeat(20_000)}\n`)
      return text('after the noise')
    case 'image':
      return {
        content: [
          { type: 'image', data: PIXEL, mimeType: 'image/png' },
          { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
          { type: 'image', data: 'bm8gcGljdHVyZQ==', mimeType: 'image/png' },
        ],
      }
    case 'links':
      return {
        content: [
          { type: 'resource_link', uri: 'file:///etc/passwd', name: 'passwords', mimeType: 'text/plain' },
          { type: 'resource', resource: { uri: 'note://1', text: 'the text of note 1' } },
          { type: 'resource', resource: { uri: 'blob://x/y.bin', blob: 'AAEC', mimeType: 'application/octet-stream' } },
          { type: 'unknown-kind' },
          7,
        ],
      }
    case 'structured':
      return {
        content: [{ type: 'text', text: JSON.stringify({ b: 2, a: [1] }) }],
        structuredContent: { a: [1], b: 2 },
      }
    case 'nonsense':
      send({ id, result: 'no result' })
      return undefined
    case 'deep':
      sendDeep(id, input['text'], token)
      return undefined
    case 'generic-error':
      throw Object.assign(new Error('the index is being built'), { code: -32_000 })
    case 'failing':
      return { ...text('there is no such row'), isError: true }
    case 'cancelled':
      return text(JSON.stringify(cancelled))
    case 'grow':
      extraTools += 1
      send({ method: 'notifications/tools/list_changed' })
      return text('grown')
    case 'grandchild': {
      const code = 'process.on("SIGTERM",()=>{});process.on("SIGHUP",()=>{});setInterval(()=>{},1000)'
      const child = spawn(process.execPath, ['-e', code], {
        detached: true,
        stdio: 'ignore',
        // Without the tags in its environment.
        ...(n === 2 && { env: {} }),
      })
      child.unref()
      // For tests that cannot see the answer.
      if (typeof input['text'] === 'string') writeFileSync(input['text'], String(child.pid))
      return text(String(child.pid))
    }
    case 'silent-progress':
      for (let at = 0; at < n; at++)
        send({ method: 'notifications/progress', params: { progressToken: token, progress: at } })
      return text('done')
    default:
      return /^extra\d+$/.test(name) ? text(name) : undefined
  }
}

/** Writes a line of `megabytes`, whose end comes after a while; then the end of an answer. */
async function writeLong(megabytes: number): Promise<void> {
  const chunk = 'l'.repeat(1_000_000)
  process.stdout.write('{"jsonrpc":"2.0","id":')
  for (let at = 0; at < megabytes; at++) {
    if (!process.stdout.write(chunk)) await new Promise((resolve) => process.stdout.once('drain', resolve))
  }
  process.stdout.write('\n')
}

let isGreeted = false

async function answer({
  id,
  method,
  params,
}: {
  id?: unknown
  method?: string
  params?: Record<string, unknown>
}): Promise<void> {
  // Something other than `initialize` was sent first.
  if (!isGreeted && method !== 'initialize') {
    if (flags.has('ends-at-first')) process.exit(1)
    if (flags.has('silent-at-first')) return
  }
  isGreeted = true
  if (method === 'notifications/cancelled') cancelled.push(params)
  if (id === undefined || method === undefined) return
  try {
    switch (method) {
      case 'initialize':
        if (flags.has('hang-start')) return
        send({
          id,
          result: {
            protocolVersion: params?.['protocolVersion'],
            capabilities: { tools: { listChanged: true }, logging: {} },
            ...(flags.has('instructions') && { instructions: flags.get('instructions') }),
            serverInfo: { name: flags.get('name') ?? 'test server', version: '1.0' },
          },
        })
        return
      case 'ping':
        send({ id, result: {} })
        return
      case 'tools/list':
        if (flags.has('hang-list')) return
        send({ id, result: listTools(params?.['cursor']) })
        return
      case 'tools/call': {
        const {
          name,
          arguments: input = {},
          _meta,
        } = params as { name: string; arguments?: Record<string, unknown>; _meta?: { progressToken?: unknown } }
        const result = await call(id, name, input, _meta?.progressToken)
        if (result) send({ id, result })
        return
      }
      default:
        send({ id, error: { code: -32601, message: `no method ${method}` } })
    }
  } catch (error) {
    const { code = -32_603 } = error as { code?: number }
    send({ id, error: { code, message: String(error) } })
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  void answer(JSON.parse(line) as Parameters<typeof answer>[0])
})
