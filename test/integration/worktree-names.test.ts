import { execFileSync } from 'node:child_process'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import type { RecordedRequest, ScriptStep } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { until } from '../support/until'

const SECOND = '[models."local/second"]\nprovider = "local"\nmodel = "second"\ncontext_window = 128000\n'
const isName = ({ body }: RecordedRequest): boolean => JSON.stringify(body).includes('You name git branches')

let scratch: Scratch
let server: ModelServer
let engine: Engine
let naming: () => ScriptStep | Promise<ScriptStep>

beforeEach(() => {
  scratch = createScratch({ 'a.txt': 'alpha\n' })
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...args], { cwd: scratch.project })
  git('init', '--quiet', '--initial-branch=main')
  git('add', '.')
  git('commit', '--quiet', '--message', 'first')
})
afterEach(async () => {
  await engine.close('stop')
  await server.close()
  scratch.remove()
})

async function begin(text: string, small = 'small_model = "local/second"'): Promise<{ folder: string; id: string }> {
  server = await startModelServer({
    script: (request) => (isName(request) ? naming() : { text: 'Done.' }),
  })
  writeConfig(scratch.home, `${configFor(server.baseUrl, { more: small })}\n${SECOND}[titles]\nenabled = false\n`)
  engine = await createEngine({ version: 'test', home: scratch.home, interactive: true, watch: false })
  const { sessionId: id, folder } = await engine.sessions.create({
    folder: scratch.project,
    mode: 'auto',
    worktree: { about: text },
  })
  await engine.sessions.prompt(id, [{ type: 'text', text }])
  return { folder, id }
}

const branchOf = (folder: string): string =>
  execFileSync('git', ['branch', '--show-current'], { cwd: folder, encoding: 'utf8' }).trim()
const ended = (id: string) =>
  until(() => engine.sessions.since(id, 0).some(({ type }) => type === 'turn.finished'), 'the end of the turn')

it('the small model names the branch, and the turn does not wait for it', async () => {
  const { promise, resolve } = Promise.withResolvers<ScriptStep>()
  naming = () => promise
  const { folder, id } = await begin('Please make the door of the shop red, it is blue now')
  expect(branchOf(folder)).toBe('trestle/make-door-shop-red-blue')
  await ended(id)
  resolve({ text: 'Paint shop-door RED\n' })
  await until(() => branchOf(folder) === 'trestle/paint-shop-door-red', 'the name of the model')
})

it('the words of the message are kept if the small model fails or answers with an explanation', async () => {
  naming = () => ({ text: 'Sure! Here is a name:\n\nred-door' })
  const { folder, id } = await begin('Repair the door')
  await ended(id)
  await until(() => server.requests.some(isName), 'the request for a name')
  await engine.close('stop')
  expect(branchOf(folder)).toBe('trestle/repair-door')
})

it('asks no model for a name without a small model', async () => {
  naming = () => ({ text: 'never' })
  const { folder, id } = await begin('Repair the door', '')
  await ended(id)
  expect(branchOf(folder)).toBe('trestle/repair-door')
  expect(server.requests.filter(isName)).toEqual([])
})
