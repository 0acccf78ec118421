import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it } from 'vitest'
import { startModelServer, type ModelServer } from '../support/model-server'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'

const ACPX = fileURLToPath(import.meta.resolve('acpx'))
const CLI = join(import.meta.dirname, '..', '..', 'out', 'main', 'cli.js')

let scratch: Scratch
let server: ModelServer

afterEach(async () => {
  await server.close()
  scratch.remove()
})

/** acpx, another client of the protocol, with the built program as its agent. */
async function acpx(args: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const { PATH = '' } = process.env
  const home = join(scratch.home, 'acpx')
  mkdirSync(home)
  const agent = `${process.execPath} ${CLI} acp`
  const env = { PATH, HOME: home, TRESTLE_HOME: scratch.home }
  const child = spawn(process.execPath, [ACPX, '--agent', agent, '--cwd', scratch.project, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
  await once(child, 'close')
  return { code: child.exitCode, ...output }
}

it.each([
  ['its own files and terminals', []],
  ['neither files nor terminals', ['--no-fs', '--no-terminal']],
])('acpx completes a task, with %s, and reports what was done', async (_which, options) => {
  scratch = createScratch({ 'notes.md': '# Notes\n\none\ntwo\n' })
  server = await startModelServer({
    script: [
      { thinking: 'Hm.', text: 'I look first.', toolCalls: [{ name: 'Read', input: { path: 'notes.md' } }] },
      { toolCalls: [{ name: 'Edit', input: { path: 'notes.md', old_string: 'two', new_string: 'three' } }] },
      { toolCalls: [{ name: 'Bash', input: { command: 'cat notes.md > copy.md && echo copied' } }] },
      { text: 'The task is done.' },
    ],
  })
  writeConfig(scratch.home, configFor(server.baseUrl))
  const run = await acpx([...options, '--approve-all', 'exec', 'Change two to three and copy the file'])
  expect(run).toMatchObject({ code: 0 })
  expect(run.stdout).toContain('The task is done.')
  expect(run.stdout).toContain('Edit: notes.md')
  expect(run.stdout).toContain('end_turn')
  expect(readFileSync(join(scratch.project, 'copy.md'), 'utf8')).toBe('# Notes\n\none\nthree\n')
})
