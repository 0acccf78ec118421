import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import { EngineLab } from '../support/engine-lab'
import { startModelServer, type ModelServer } from '../support/model-server'
import { runCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'

let scratch: Scratch
let server: ModelServer
afterEach(async () => {
  await server.close()
  scratch.remove()
})

it("a turn in print mode loads none of Node's own fetch, TLS and HTTP/2, which take a fifth of a start", async () => {
  scratch = createScratch({ 'a.txt': 'one\n' })
  server = await startModelServer({
    script: [{ toolCalls: [{ name: 'Read', input: { path: 'a.txt' } }] }, { text: 'Read.' }],
  })
  writeConfig(scratch.home, configFor(server.baseUrl))
  const [spy, list] = [join(scratch.home, 'spy.cjs'), join(scratch.home, 'modules.txt')]
  writeFileSync(
    spy,
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(list)}, ` +
      "process.moduleLoadList.join('\\n')))",
  )
  const { code } = await runCli(['print', 'Read it.', '--cwd', scratch.project], {
    home: scratch.home,
    env: { NODE_OPTIONS: `--require ${JSON.stringify(spy)}` },
  })
  expect(code).toBe(0)
  const loaded = readFileSync(list, 'utf8').split('\n')
  expect(loaded).toContain('NativeModule http')
  const heavy = ['internal/deps/undici/undici', 'tls', 'http2', 'internal/http2/core'].map(
    (name) => `NativeModule ${name}`,
  )
  expect(loaded.filter((name) => heavy.includes(name))).toEqual([])
})

it('while features are off and their tools unused, a turn loads none of their modules, and few files in total', async () => {
  scratch = createScratch({})
  server = await startModelServer({ script: [{ text: 'Done.' }] })
  writeConfig(scratch.home, configFor(server.baseUrl))
  const loaded = await filesLoadedBy(['print', 'Hello', '--agent', 'assistant', '--cwd', scratch.project])
  expect(loaded.some((url) => /\/engine-[^/]*\.js$/.test(url))).toBe(true)
  // Resolving and linking many small files takes longer than running them.
  expect(loaded.filter((url) => /\/out\/main\//.test(url)).length).toBeLessThan(40)
  const theirs =
    /\/(?:memory-rows|calendar-file|locate)-[^/]*\.js$|node_modules\/(?:ical-generator|croner|imapflow|nodemailer|mailparser)\//
  expect(loaded.filter((url) => theirs.test(url))).toEqual([])
})

it('describes its tools to a model like the sources, although the build derives their schemas', async () => {
  scratch = createScratch({})
  server = await startModelServer({ script: () => ({ text: 'Done.' }) })
  const hosts = 'imap_host = "127.0.0.1"\nsmtp_host = "127.0.0.1"'
  const account = `[mail.accounts.home]\naddress = "ada@example.com"\n${hosts}\n`
  writeConfig(scratch.home, configFor(server.baseUrl, { more: `[features]\nmail = true\n${account}` }))
  const { code } = await runCli(['print', 'Hello', '--agent', 'assistant', '--cwd', scratch.project], {
    home: scratch.home,
  })
  expect(code).toBe(0)
  const engine = await createEngine({ version: '0', home: scratch.home, watch: false })
  try {
    const { sessionId } = await engine.sessions.create({ folder: scratch.project, agent: { name: 'assistant' } })
    await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'Hello' }])
    await expect.poll(() => server.requests.length).toBe(2)
  } finally {
    await engine.close()
  }
  const [built, derived] = server.requests.map(({ body }) => {
    const briefTools = /More tools, to be called(?:[^"\\]|\\.)*/.exec(JSON.stringify(body))?.[0]
    return { tools: body['tools'], briefTools }
  })
  expect(built!.briefTools).toContain('MailSend(to: string[]')
  expect(built).toEqual(derived)
})

it('a client of a running engine loads neither the engine nor its database', async () => {
  const env: Record<string, string> = {}
  const lab = await EngineLab.start(() => ({ text: 'Done.' }), '', env)
  scratch = lab.scratch
  server = lab.server
  // Only an engine with the same environment is joined.
  Object.assign(env, spyOnFiles().env)
  try {
    await lab.startEngine()
    const loaded = await filesLoadedBy(['print', 'Hello', '--cwd', scratch.project])
    expect(loaded.some((url) => /\/client-[^/]*\.js$/.test(url))).toBe(true)
    expect(loaded.filter((url) => /\/engine-[^/]*\.js$|better-sqlite3/.test(url))).toEqual([])
  } finally {
    await lab.end()
  }
})

it('a file that others load runs no program: only its own file runs the task host', () => {
  const folder = join(import.meta.dirname, '..', '..', 'out', 'main')
  const running = /\brunTaskHost\(process\.argv/
  expect(readFileSync(join(folder, 'task-host.js'), 'utf8')).toMatch(running)
  const chunks = readdirSync(join(folder, 'chunks'))
  expect(chunks.filter((name) => running.test(readFileSync(join(folder, 'chunks', name), 'utf8')))).toEqual([])
})

/** The URLs of the files that the built program loads with these arguments; the program must succeed. */
async function filesLoadedBy(args: string[]): Promise<string[]> {
  const { env, list } = spyOnFiles()
  const { code } = await runCli(args, { home: scratch.home, env })
  expect(code).toBe(0)
  return readFileSync(list, 'utf8').split('\n')
}

/** The environment in which a program writes the list of loaded files to `list` when it ends. */
function spyOnFiles(): { env: Record<string, string>; list: string } {
  const [spy, list] = [join(scratch.home, 'spy.cjs'), join(scratch.home, 'files.txt')]
  writeFileSync(
    spy,
    `const files = []
    require('node:module').registerHooks({ load: (url, context, next) => (files.push(url), next(url, context)) })
    process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(list)}, files.join('\\n')))`,
  )
  return { env: { NODE_OPTIONS: `--require ${JSON.stringify(spy)}` }, list }
}
