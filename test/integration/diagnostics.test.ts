import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import { sandboxSupport } from '../../src/main/engine/sandbox/sandbox-support'
import type { ModelScript, ScriptedCall, ScriptStep } from '../support/model-script'
import { required } from '../support/required'
import { startModelServer, type ModelServer } from '../support/model-server'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { until } from '../support/until'
import { limitNow } from '../support/machine-pace'

const MODULES = resolve(import.meta.dirname, '../../node_modules')
/** A TypeScript version that still has the program typescript-language-server uses. */
const TYPESCRIPT_5 = join(MODULES, 'ts-json-schema-generator/node_modules/typescript')
const TYPESCRIPT_7 = join(MODULES, 'typescript')
const HEAD = 'Errors in files you just changed:'
const hasSandbox = sandboxSupport().kind !== 'none'
const has = (name: string): boolean => existsSync(join(MODULES, '.bin', name))
const SYSTEM_PATH = ['/usr/local/bin', '/usr/bin', '/bin']

interface Turn {
  model: ModelServer
  project: string
  /** ms between consecutive requests. */
  gaps: number[]
}

type Request = Parameters<Exclude<ModelScript, readonly unknown[]>>[0]

/** A turn with a model that decides based on its input; it ends when there is no further step. */
async function play(options: {
  files: Record<string, string>
  step(request: Request, index: number): ScriptStep | undefined
  config?: string
  prepare?(scratch: Scratch): void
  trusts?: boolean
}): Promise<Turn> {
  const scratch = createScratch(options.files)
  options.prepare?.(scratch)
  const gaps: number[] = []
  let at = 0
  const model = await startModelServer({
    script: (request, index) => {
      if (at > 0) gaps.push(Date.now() - at)
      at = Date.now()
      return options.step(request, index) ?? { text: 'done' }
    },
  })
  // More steps than a server needs to start on a busy machine.
  writeConfig(scratch.home, configFor(model.baseUrl, { loop: 'max_steps = 800' }) + (options.config ?? ''))
  const engine = await createEngine({ version: 'test', home: scratch.home, watch: false, log: () => {} })
  onTestFinished(async () => {
    await engine.close('stop')
    await model.close()
    expect(processesIn(scratch.project)).toEqual([])
    scratch.remove()
  })
  if (options.trusts) await engine.trust.accept(scratch.project, (await engine.trust.view(scratch.project)).hash)
  const { sessionId } = await engine.sessions.create({ folder: scratch.project, mode: 'auto' })
  await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
  await until(
    () => engine.sessions.since(sessionId, 0).some(({ type }) => type === 'turn.finished'),
    'the turn to end',
    60_000,
  )
  return { model, project: scratch.project, gaps }
}

/** The errors in a request, oldest first. */
function told({ body }: Pick<Request, 'body'>): string[] {
  const messages = body['messages'] as { role: string; content: unknown }[]
  return messages
    .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
    .filter((text) => text.startsWith(HEAD))
}

/**
 * Breaks a file before any server runs, works on other files until the error is reported, fixes it, and breaks it
 * again.
 */
function breakTwice(path: string, good: string, bad: string) {
  let phase: 'start' | 'break' | 'work' | 'fixed' | 'again' | 'end' = 'start'
  const seen: { late: string[]; fixed: string[]; again: string[]; lastGap: () => number } = {
    late: [],
    fixed: [],
    again: [],
    lastGap: () => 0,
  }
  let reads = 0
  let brokenAt = 0
  let heardAt = 0
  seen.lastGap = () => heardAt - brokenAt
  const step = (request: Request): ScriptStep | undefined => {
    if (phase === 'start') {
      phase = 'break'
      return { toolCalls: [read(path)] }
    }
    if (phase === 'break') {
      phase = 'work'
      return { toolCalls: [edit(path, good, bad)] }
    }
    if (phase === 'work') {
      seen.late = told(request)
      // A real model also takes time for each answer.
      if (seen.late.length === 0) return { toolCalls: [read(path, (reads += 1))], faults: { delayMs: 100 } }
      phase = 'fixed'
      return { toolCalls: [edit(path, bad, good)] }
    }
    if (phase === 'fixed') {
      seen.fixed = told(request)
      phase = 'again'
      brokenAt = Date.now()
      return { toolCalls: [edit(path, good, bad)] }
    }
    if (phase === 'again') {
      heardAt = Date.now()
      seen.again = told(request)
      phase = 'end'
    }
    return undefined
  }
  return { step, seen }
}

/** Language servers from the process list; their working folder is the project. */
function processesIn(folder: string): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return []
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      return /language-server|langserver|tsserver|--lsp/.test(command) && command.includes(folder) ? [command] : []
    } catch {
      return []
    }
  })
}

const read = (path: string, lines?: number): ScriptedCall => ({
  name: 'Read',
  input: { path, ...(lines !== undefined && { n_lines: lines }) },
})
const edit = (path: string, oldString: string, newString: string): ScriptedCall => ({
  name: 'Edit',
  input: { path, old_string: oldString, new_string: newString },
})
const write = (path: string, content: string): ScriptedCall => ({ name: 'Write', input: { path, content } })
const TS_FILES = {
  'tsconfig.json': '{ "compilerOptions": { "strict": true, "types": [], "noEmit": true } }',
  'src/sum.ts': 'export const sum = (a: number, b: number): number => a + b\n',
  'src/use.ts': "import { sum } from './sum'\nexport const three = sum(1, 2)\n",
}

function withTypeScript5({ project }: Scratch): void {
  const folder = join(project, 'node_modules', 'typescript')
  cpSync(TYPESCRIPT_5, folder, { recursive: true, filter: (path) => !/lib\/[a-z]{2}(?:-[a-z]{2})?$/i.test(path) })
}

/** The packages of TypeScript 7: a program for this machine, and the package that finds it. */
function withTypeScript7({ project }: Scratch): void {
  const modules = join(project, 'node_modules')
  cpSync(TYPESCRIPT_7, join(modules, 'typescript'), { recursive: true })
  cpSync(join(MODULES, '@typescript'), join(modules, '@typescript'), { recursive: true })
  mkdirSync(join(modules, '.bin'))
  symlinkSync('../typescript/bin/tsc', join(modules, '.bin', 'tsc'))
}

beforeEach(() => {
  vi.stubEnv('PATH', [join(MODULES, '.bin'), dirname(process.execPath), ...SYSTEM_PATH].join(delimiter))
  // Folders that npm added to PATH are hidden from commands: they are not the user's.
  vi.stubEnv('npm_lifecycle_event', undefined)
})

const PY_FILES = {
  'pkg/__init__.py': '',
  'pkg/a.py': 'def double(x: int) -> int:\n    return x * 2\n',
  'pkg/b.py': 'from pkg.a import double\n\nprint(double(2))\n',
}

describe.skipIf(!hasSandbox)('errors reported by a language server', () => {
  it.skipIf(!has('typescript-language-server') || !has('pyright-langserver') || !existsSync(TYPESCRIPT_5)).each([
    {
      server: 'typescript-language-server',
      files: TS_FILES,
      prepare: withTypeScript5,
      path: 'src/use.ts',
      good: 'sum(1, 2)',
      bad: "sum(1, 'two')",
      error:
        /^src\/use\.ts:2:29 Argument of type 'string' is not assignable to parameter of type 'number'\. \(ts 2345\)$/m,
    },
    {
      server: 'pyright',
      files: PY_FILES,
      path: 'pkg/b.py',
      good: 'double(2)',
      bad: 'double("2")',
      error: /^pkg\/b\.py:3:14 Argument of type .*is not assignable.*\(Pyright reportArgumentType\)$/m,
    },
  ])(
    'a type error made by an Edit is in the next request within 2 s, and is not repeated once fixed: $server',
    // On a busy machine, a server may occasionally need longer.
    { timeout: 90_000, retry: 1 },
    async ({ files, prepare, path, good, bad, error }) => {
      const { step, seen } = breakTwice(path, good, bad)
      await play({ files, step, ...(prepare && { prepare }) })
      expect(seen.late).toHaveLength(1)
      expect(seen.late[0]).toMatch(error)
      expect(seen.fixed).toHaveLength(1)
      expect(seen.again).toHaveLength(2)
      expect(seen.again[1]).toMatch(error)
      expect(seen.lastGap()).toBeLessThan(limitNow(2_500))
    },
  )

  it("TypeScript 7 of a project acts as its own server, but only after the project's configuration is accepted", async () => {
    const script = () => breakTwice('src/use.ts', 'sum(1, 2)', "sum(1, 'two')")
    vi.stubEnv('PATH', [dirname(process.execPath), ...SYSTEM_PATH].join(delimiter))
    const trusted = script()
    const files = { ...TS_FILES, '.trestle/config.toml': '[loop]\nmax_steps = 60\n' }
    await play({ files, step: trusted.step, prepare: withTypeScript7, trusts: true })
    expect(trusted.seen.again).toHaveLength(2)
    const unaccepted = script()
    const { model } = await play({
      files,
      step: (request, index) => (index > 5 ? undefined : unaccepted.step(request)),
      prepare: withTypeScript7,
    })
    expect(model.requests.flatMap(told)).toEqual([])
  })
})

it('the recipe in docs/hooks.md keeps the agent working on the errors of the whole project', async () => {
  const recipe = /```toml\n(\[\[hooks\]\]\nevent = "Stop"[^`]+)```/.exec(
    readFileSync(join(import.meta.dirname, '../../docs/hooks.md'), 'utf8'),
  )
  const { model } = await play({
    files: { ...TS_FILES, 'src/use.ts': "import { sum } from './sum'\nexport const three = sum(1, 'two')\n" },
    config: `[diagnostics]\nenabled = false\n${required(recipe?.[1], 'the recipe')}`,
    prepare: withTypeScript7,
    step: (_request, index) =>
      index === 0
        ? { text: 'done' }
        : index === 1
          ? { toolCalls: [read('src/use.ts')] }
          : index === 2
            ? { toolCalls: [edit('src/use.ts', "'two'", '2')] }
            : undefined,
  })
  expect(JSON.stringify(required(model.requests[1], 'the request after the hook').body)).toContain(
    'src/use.ts(2,29): error TS2345',
  )
  // After the edit that fixes it the check passes, and the turn ends.
  expect(model.requests).toHaveLength(4)
})

describe('without a language server', () => {
  it('no server is started and nothing waits for one', async () => {
    vi.stubEnv('PATH', SYSTEM_PATH.join(delimiter))
    const steps = [
      [read('src/use.ts')],
      [edit('src/use.ts', 'sum(1, 2)', "sum(1, 'two')")],
      [write('src/new.py', 'x: int = "a"\n')],
    ]
    const { gaps, project, model } = await play({
      files: TS_FILES,
      step: (_request, index) => steps[index] && { toolCalls: steps[index] },
    })
    expect(model.requests.flatMap(told)).toEqual([])
    expect(processesIn(project)).toEqual([])
    // Far below the 2 s of waiting for a server.
    expect(Math.min(...gaps.slice(1))).toBeLessThan(limitNow(500))
  })
})
