import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { bundledProgram } from '../support/bundled-program'
import { nodeProgram } from '../support/node-program'

const root = join(import.meta.dirname, '..', '..')
const INSTALLED = join(root, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js')
/** The installed suite, or another version of it. */
const suite = process.env['MCP_CONFORMANCE_SUITE'] ?? INSTALLED
/** Of another version, nothing is known about how it is made. */
const [command, ...args] = suite === INSTALLED ? await bundledProgram(suite) : nodeProgram(suite)
const client = nodeProgram('./mcp-conformance-client.ts').join(' ')

/** Required for revision 2025-11-25. */
const REQUIRED = [
  'initialize',
  'tools_call',
  'elicitation-sep1034-client-defaults',
  'auth/metadata-default',
  'auth/metadata-var1',
  'auth/metadata-var2',
  'auth/metadata-var3',
  'auth/basic-cimd',
  'auth/scope-from-www-authenticate',
  'auth/scope-from-scopes-supported',
  'auth/scope-omitted-when-undefined',
  'auth/scope-step-up',
  'auth/scope-retry-limit',
  'auth/token-endpoint-auth-basic',
  'auth/token-endpoint-auth-post',
  'auth/token-endpoint-auth-none',
  'auth/pre-registration',
]
/** It measures when the client comes back, so it does not run beside others. */
const TIMED = 'sse-retry'
const OLDEST = ['auth/2025-03-26-oauth-metadata-backcompat', 'auth/2025-03-26-oauth-endpoint-fallback']
/**
 * Required for revision 2026-07-28, as versions of the suite from 0.2 on say; of those before it, what they have of its
 * draft.
 */
const STATELESS = requiredFor('2026-07-28')
const DRAFT = ['auth/resource-mismatch', 'auth/offline-access-scope', 'auth/offline-access-not-supported']

/** Each scenario with the revision that it is run in; older versions of the suite know only one way to run it. */
const CASES: [scenario: string, title: string, revision: string | undefined][] = STATELESS
  ? [...inRevision('2025-11-25', REQUIRED), ...inRevision('2025-03-26', OLDEST), ...inRevision('2026-07-28', STATELESS)]
  : inRevision(undefined, [...REQUIRED, ...OLDEST, ...DRAFT])

describe('client scenarios of the conformance suite, through the built program', () => {
  test('are all that the suite requires for 2025-11-25', async () => {
    const { output } = await conformance('list', '--client')
    const listed = [...output.matchAll(/- (\S+) \[([^\]]*)\]/g)]
      .filter(([, , revisions]) => revisions!.includes('2025-11-25'))
      .map(([, name]) => name)
    expect(new Set(requiredFor('2025-11-25') ?? listed)).toEqual(new Set([...REQUIRED, TIMED]))
  })

  test('sse-retry', async () => {
    const failure = await failureOf(TIMED, STATELESS && '2025-11-25')
    // The suite itself calls a delay of up to twice the time acceptable; a busy machine causes it.
    const isLate = /Passed: (\d+)\/\1, 0 failed/.test(failure) && failure.includes('reconnected slightly late')
    expect(isLate ? '' : failure).toBe('')
  })

  test.concurrent.each(CASES)(
    '%s%s',
    async (scenario, _, revision) => {
      expect(await oneOfTwo(() => failureOf(scenario, revision))).toBe('')
    },
    240_000,
  )
})

/** The client scenarios that the suite requires for a revision; undefined where it does not say. */
function requiredFor(revision: string): string[] | undefined {
  const file = join(dirname(suite), '..', 'requirements', `${revision}.yaml`)
  return existsSync(file) ? (parse(readFileSync(file, 'utf8')) as { client: string[] }).client : undefined
}

function inRevision(revision: string | undefined, scenarios: readonly string[]): typeof CASES {
  return scenarios.map((scenario) => [scenario, revision === undefined ? '' : ` in ${revision}`, revision])
}

/**
 * Each scenario is three processes: with more of them at one moment, the suite's own time limits say more about the
 * machine than about the client.
 */
const lanes: Promise<unknown>[] = [Promise.resolve(), Promise.resolve()]
let turn = 0
function oneOfTwo<Result>(work: () => Promise<Result>): Promise<Result> {
  const lane = turn++ % lanes.length
  const done = lanes[lane]!.then(work)
  lanes[lane] = done.catch(() => undefined)
  return done
}

/** What the suite says is wrong; empty when the scenario passes. */
async function failureOf(scenario: string, revision: string | undefined): Promise<string> {
  const words = ['--command', client, '--scenario', scenario, '--timeout', '120000']
  const { code, output } = await conformance(
    'client',
    ...words,
    ...(revision === undefined ? [] : ['--spec-version', revision]),
  )
  return code === 0 ? '' : output
}

async function conformance(...words: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(command, [...args, ...words], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, output }
}
