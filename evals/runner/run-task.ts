import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { stringify } from 'smol-toml'
import type { RecordedEvent } from '../../src/shared/events/event'
import { mergeSettings, type Configuration } from './configuration.ts'
import { createPlace, environmentOf, type RunPlace } from './create-place.ts'
import { createHiddenTest } from './hidden-test.ts'
import { measure, type Measures } from './measure.ts'
import { runNode } from './run-program.ts'
import { startScriptedModel, type ScriptedModel } from './scripted-model.ts'
import type { LoadedTask, Setup, Values } from './task'

const TIME_LIMIT_S = 600
/** A script needs a few seconds; the rest is headroom for a busy machine. */
const SCRIPTED_LIMIT_S = 180
const MAX_STEPS = '100'
/** The one file that a host of background tasks leaves in `run/`. */
const HOST_TOKEN = 'task-host.token'
const SCRIPTED_WINDOW = 128_000

/** The result of one run of a task. */
export interface TaskRun extends Measures {
  task: string
  group: string
  configuration: string
  /** From 1. */
  run: number
  passed: boolean
  /** What the check found. */
  problems: string[]
  /** Set when the task could not be judged: the program failed, or a script did not fit. Such a run has not passed. */
  error?: string
  answer: string
}

/** Artifacts of a run for debugging; written beside the report. */
export interface RunWithLog {
  result: TaskRun
  events: RecordedEvent[]
}

/** Runs one task in folders of its own, checks the result, and removes what it made. */
export async function runTask(task: LoadedTask, configuration: Configuration, run: number): Promise<RunWithLog> {
  const place = createPlace(task)
  const startedAt = performance.now()
  const base = { task: task.id, group: task.group, configuration: configuration.name, run }
  let setup: Setup = {}
  let model: ScriptedModel | undefined
  let talk: Talk = { events: [], answer: '' }
  try {
    setup = (await task.setup?.(place)) ?? {}
    const values = setup.values ?? {}
    if (configuration.kind === 'scripted') model = await startScriptedModel(task[configuration.solution], values)
    writeSettings(place, task, configuration, setup, model)
    const limitS = configuration.kind === 'scripted' ? SCRIPTED_LIMIT_S : (task.timeLimitS ?? TIME_LIMIT_S)
    talk = await converse(task, configuration, place, values, startedAt + limitS * 1000)
    const seconds = (performance.now() - startedAt) / 1000
    const error = talk.error ?? model?.problems()[0]
    const problems = error === undefined ? await task.check(finished(task, place, talk, values)) : []
    const passed = error === undefined && problems.length === 0
    const result = {
      ...base,
      ...measure(talk.events, seconds),
      passed,
      problems,
      answer: talk.answer,
      ...(error !== undefined && { error }),
    }
    return { result, events: talk.events }
  } catch (error) {
    const words = `The task itself failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
    const measures = measure(talk.events, (performance.now() - startedAt) / 1000)
    return {
      result: { ...base, ...measures, passed: false, problems: [], answer: talk.answer, error: words },
      events: talk.events,
    }
  } finally {
    await stopTasks(place, configuration)
    await model?.close()
    await setup.close?.()
    place.remove()
  }
}

interface Talk {
  events: RecordedEvent[]
  answer: string
  error?: string
}

/** Sends the prompts one after the other, in one session. */
async function converse(
  task: LoadedTask,
  configuration: Configuration,
  place: RunPlace,
  values: Values,
  endsAt: number,
): Promise<Talk> {
  const talk: Talk = { events: [], answer: '' }
  let session: string | undefined
  for (const prompt of task.prompts) {
    const args = [
      'print',
      filled(prompt, values),
      '--cwd',
      place.project,
      '--permission-mode',
      'auto',
      '--output-format',
      'stream-json',
    ]
    args.push('--max-steps', MAX_STEPS)
    if (session !== undefined) args.push('--session', session)
    if (configuration.kind === 'model' && configuration.effort !== undefined)
      args.push('--effort', configuration.effort)
    const timeLimitMs = Math.max(1, endsAt - performance.now())
    const { stdout, stderr, isTimedOut } = await runNode([configuration.program, ...args], {
      cwd: place.project,
      env: programEnvironment(place, configuration),
      timeLimitMs,
    })
    const lines = stdout.split('\n').flatMap(parsedLine)
    const end = lines.find((line): line is PrintEnd => line.type === 'result')
    talk.events.push(...lines.filter((line): line is RecordedEvent => 'seq' in line))
    if (isTimedOut) return { ...talk, error: timeoutError(talk.events, end !== undefined, stderr) }
    if (!end || end.failure)
      return { ...talk, error: `The program failed: ${stderr.trim().slice(-1500) || 'it ended without a result.'}` }
    talk.answer = end.answer
    session = end.sessionId
  }
  talk.events.push(...(await logsOfSubagents(talk.events, place, configuration)))
  return talk
}

/** Says how far the program came before the time limit, to find out why it was slow or did not exit. */
function timeoutError(events: readonly RecordedEvent[], hasResult: boolean, stderr: string): string {
  const last = events.at(-1)
  const reached = hasResult
    ? 'The program had printed its result, but did not exit.'
    : `The last of ${events.length} events is ${last ? `${last.type} (seq ${last.seq})` : 'missing'}.`
  return ['The time limit of the task was reached.', reached, stderr.trim().slice(-1500)].join(' ').trim()
}

interface PrintEnd {
  type: 'result'
  sessionId: string
  answer: string
  failure?: object
}

/** Skips a line that a time limit cut off. */
function parsedLine(line: string): (PrintEnd | RecordedEvent | { type: 'live' })[] {
  try {
    return line === '' ? [] : [JSON.parse(line) as PrintEnd | RecordedEvent]
  } catch {
    return []
  }
}

async function logsOfSubagents(
  events: readonly RecordedEvent[],
  place: RunPlace,
  configuration: Configuration,
): Promise<RecordedEvent[]> {
  const ids = new Set(events.flatMap((event) => (event.type === 'subagent.started' ? [event.agentId] : [])))
  const logs = await Promise.all(
    [...ids].map((id) => runProgram(['session', 'export', id, '--json'], place, configuration)),
  )
  return logs
    .flatMap((log) => log.split('\n').flatMap(parsedLine))
    .filter((line): line is RecordedEvent => 'seq' in line)
}

async function runProgram(args: string[], place: RunPlace, { program }: Configuration): Promise<string> {
  const { stdout } = await runNode([program, ...args], {
    cwd: place.project,
    env: environmentOf(place),
    timeLimitMs: 30_000,
  })
  return stdout
}

/** Background tasks may outlive a time limit; their host exits once it is idle, and writes into its home until then. */
async function stopTasks(place: RunPlace, configuration: Configuration): Promise<void> {
  const run = join(place.home, 'run')
  if (!existsSync(join(run, HOST_TOKEN))) return
  await runProgram(['task', 'stop', '--all'], place, configuration)
  for (let tries = 0; tries < 100 && readdirSync(run).some((name) => name !== HOST_TOKEN); tries += 1) await wait(100)
}

function programEnvironment(place: RunPlace, configuration: Configuration): Record<string, string> {
  const keys = configuration.kind === 'model' ? configuration.keys : []
  return { ...environmentOf(place), ...Object.fromEntries(keys.map((key) => [key, process.env[key] ?? ''])) }
}

function writeSettings(
  place: RunPlace,
  task: LoadedTask,
  configuration: Configuration,
  setup: Setup,
  model: ScriptedModel | undefined,
): void {
  const own = configuration.kind === 'model' ? configuration.settings : scriptedSettings(model!)
  const id = own['default_model'] as string
  const always = {
    tasks: { on_exit: 'stop' },
    ...(task.contextWindow !== undefined && { models: { [id]: { context_window: task.contextWindow } } }),
  }
  const settings = mergeSettings(mergeSettings(own, always), setup.config ?? {})
  writeFileSync(join(place.home, 'config.toml'), stringify(settings), { mode: 0o600 })
  if (setup.mcpServers)
    writeFileSync(join(place.home, 'mcp.json'), JSON.stringify({ mcpServers: setup.mcpServers }), { mode: 0o600 })
}

function scriptedSettings({ baseUrl }: ScriptedModel): Record<string, unknown> {
  return {
    default_model: 'scripted/scripted-model',
    providers: { scripted: { type: 'openai-compatible', base_url: baseUrl, api_key: 'no-key-is-needed' } },
    models: {
      'scripted/scripted-model': {
        provider: 'scripted',
        model: 'scripted-model',
        context_window: SCRIPTED_WINDOW,
        capabilities: ['tools', 'image_in'],
      },
    },
    // A step missing from the script fails at once.
    loop: { max_attempts: 1 },
  }
}

function finished(task: LoadedTask, place: RunPlace, { events, answer }: Talk, values: Values) {
  const { root, project, home } = place
  return {
    root,
    project,
    home,
    answer,
    events,
    values,
    read(path: string): string | undefined {
      const file = join(project, path)
      return existsSync(file) ? readFileSync(file, 'utf8') : undefined
    },
    hiddenTest: createHiddenTest(task, place),
  }
}

function filled(text: string, values: Values): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_all, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`setup gives no value "${name}".`)
    return value
  })
}
