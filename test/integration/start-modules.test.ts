import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
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
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(list)}, process.moduleLoadList.join('\\n')))`,
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

it('while features are off and their tools unused, a turn loads no module of theirs, and few files in all', async () => {
  scratch = createScratch({})
  server = await startModelServer({ script: [{ text: 'Done.' }] })
  writeConfig(scratch.home, configFor(server.baseUrl))
  const [spy, list] = [join(scratch.home, 'spy.cjs'), join(scratch.home, 'files.txt')]
  writeFileSync(
    spy,
    `const files = []
    require('node:module').registerHooks({ load: (url, context, next) => (files.push(url), next(url, context)) })
    process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(list)}, files.join('\\n')))`,
  )
  const { code } = await runCli(['print', 'Hello', '--agent', 'assistant', '--cwd', scratch.project], {
    home: scratch.home,
    env: { NODE_OPTIONS: `--require ${JSON.stringify(spy)}` },
  })
  expect(code).toBe(0)
  const loaded = readFileSync(list, 'utf8').split('\n')
  expect(loaded.some((url) => /\/engine-[^/]*\.js$/.test(url))).toBe(true)
  // Finding and linking many small files takes longer than running them.
  expect(loaded.filter((url) => /\/out\/main\//.test(url)).length).toBeLessThan(40)
  const theirs =
    /\/(?:memory-rows|calendar-file|locate)-[^/]*\.js$|node_modules\/(?:ical-generator|croner|imapflow|nodemailer|mailparser)\//
  expect(loaded.filter((url) => theirs.test(url))).toEqual([])
})
