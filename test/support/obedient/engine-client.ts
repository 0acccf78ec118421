import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type SessionEvent, isRecorded } from '../../../src/shared/events/event'
import type { SessionMode } from '../../../src/shared/model/approval/approval'
import { spawnContained } from './containment'
import type { WorkerOrder, WorkerTurn } from './engine-worker'
import type { World } from './world'

const HOOKS = new URL('../ts-hooks.mjs', import.meta.url).href
const WORKER = fileURLToPath(new URL('./engine-worker.ts', import.meta.url))
/** The built program, which print mode and the attacks run. */
export const BUILT_PROGRAM = fileURLToPath(new URL('../../../out/main/cli.js', import.meta.url))

/** A process with engines and a user who rejects everything. */
export interface EngineClient {
  ask<Answer>(order: WorkerOrder): Promise<Answer>
  close(): Promise<void>
}

export function startEngineClient(prefix: readonly string[], folder: string): EngineClient {
  const { PATH = '' } = process.env
  const child = spawnContained(prefix, [process.execPath, '--no-warnings', '--import', HOOKS, WORKER], {
    cwd: folder,
    env: { PATH, HOME: folder, TMPDIR: folder },
  })
  let rest = ''
  let errors = ''
  let orders = 0
  const waiting = new Map<number, (answer: unknown) => void>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (!line.startsWith('\u0001')) continue
      const { id, answer } = JSON.parse(line.slice(1)) as { id: number; answer: unknown }
      waiting.get(id)?.(answer)
      waiting.delete(id)
    }
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const gone = once(child, 'close').then((): never => {
    throw new Error(`The process with the engines has ended:\n${errors}`)
  })
  gone.catch(() => undefined)
  return {
    async ask<Answer>(order: WorkerOrder): Promise<Answer> {
      const id = (orders += 1)
      const answered = new Promise<unknown>((resolve) => waiting.set(id, resolve))
      child.stdin.write(`${JSON.stringify({ id, order })}\n`)
      const answer = (await Promise.race([gone, answered])) as Answer & { error?: string }
      if (answer.error !== undefined) throw new Error(answer.error)
      return answer
    },
    async close() {
      child.stdin.end()
      await gone.catch(() => undefined)
    },
  }
}

/** One turn of the built program in print mode, without a user to ask. */
export async function printTurn(
  prefix: readonly string[],
  world: World,
  { mode, prompt, env }: { mode: SessionMode; prompt: string; env: Record<string, string> },
): Promise<WorkerTurn> {
  const { PATH = '' } = process.env
  const words = [
    process.execPath,
    BUILT_PROGRAM,
    'print',
    prompt,
    '--permission-mode',
    mode,
    '--output-format',
    'stream-json',
    '--cwd',
    world.project,
  ]
  const child = spawnContained(prefix, words, {
    cwd: world.project,
    env: { PATH, ...env, HOME: world.home, TRESTLE_KEY_STORE: 'file', TRESTLE_HOME: world.trestle },
  })
  child.stdin.end()
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  await once(child, 'close')
  const events = output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): SessionEvent | { type: 'result' } => JSON.parse(line))
    .flatMap((event) => (event.type !== 'result' && isRecorded(event) ? [event] : []))
  if (events.length === 0) throw new Error(`print mode said nothing:\n${errors}`)
  return { events, cards: [] }
}
