import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { findShell, type Shell } from './find-shell'
import type { Starter } from './running-process'
import { TaskRun } from './task-run'
import type { TerminalTasks } from './terminal-tasks'

export interface TerminalTasksOptions {
  /** Where the output files go; made when needed. */
  outputDir: string
  /** The environment of commands: see `commandEnv`. Asked at every start, so that changed settings count. */
  env: () => Record<string, string>
  /** Between SIGTERM and SIGKILL; ms. */
  graceMs?: number
  /** How commands are started; default: in a terminal, or in pipes with a note where there is none. */
  starter?: () => Promise<{ starter: Starter; note?: string }>
  shell?: Shell
}

const DEFAULT_GRACE_MS = 5_000

/** See `TerminalTasks`. Nothing is loaded or opened before the first command. */
export function createTerminalTasks(options: TerminalTasksOptions): TerminalTasks {
  const graceMs = options.graceMs ?? DEFAULT_GRACE_MS
  const runs = new Set<TaskRun>()
  let starting: Promise<{ starter: Starter; note?: string }> | undefined
  let started: { starter: Starter; note?: string } | undefined
  let shell = options.shell
  let closed = false

  const starter = (): Promise<{ starter: Starter; note?: string }> => {
    starting ??= (options.starter ?? defaultStarter)().then((found) => (started = found))
    return starting
  }

  return {
    async run(start, maxChars) {
      const ready = started ?? (await starter())
      if (closed) throw new Error('Trestle is closing; no command is started any more.')
      shell ??= shellOfThisMachine()
      const taskId = newTaskId()
      const run = new TaskRun({
        taskId,
        start,
        maxChars,
        graceMs,
        shell: shell.path,
        env: options.env(),
        outputPath: join(options.outputDir, `${taskId}.log`),
        starter: ready.starter,
        notes: [ready.note, shell.note].filter((note) => note !== undefined),
        onGone: () => runs.delete(run),
      })
      runs.add(run)
      return run.ended()
    },
    warm() {
      // A failure shows in `run`.
      void starter()
        .then((ready) => ready.starter.warm(options.env()))
        .catch(() => {})
    },
    async close() {
      closed = true
      await Promise.all([...runs].map((run) => run.close()))
      started?.starter.close()
    },
  }
}

/** `bash-` and 8 of [0-9a-z]. */
function newTaskId(): string {
  let id = ''
  while (id.length < 8) {
    // 252 = 7 * 36: every character is equally likely.
    for (const byte of randomBytes(12)) if (byte < 252 && id.length < 8) id += (byte % 36).toString(36)
  }
  return `bash-${id}`
}

function shellOfThisMachine(): Shell {
  const found = findShell({ platform: process.platform, env: process.env, isFile })
  if ('error' in found) throw new Error(found.error)
  return found
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

async function defaultStarter(): Promise<{ starter: Starter; note?: string }> {
  try {
    if (process.platform === 'win32') return { starter: await (await import('./start-in-conpty')).conptyStarter() }
    return { starter: await (await import('./start-in-terminal')).terminalStarter() }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const note = `No terminal could be opened (${reason}), so the command ran with plain pipes.`
    return { starter: (await import('./start-in-pipes')).pipeStarter, note }
  }
}
