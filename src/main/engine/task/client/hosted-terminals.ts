import { CodedError } from '../../../../shared/errors'
import type { Task } from '../../../../shared/model/task/task'
import type { TaskSettings } from '../../config/agent-settings/session-settings'
import { outputText } from '../output/output-text'
import { readOutput } from '../output/log-files'
import { newTaskId } from '../run/task-starter'
import { foregroundLog } from '../task-record'
import type { TaskEnd, TaskStart, TerminalTasks } from '../task-supervisor'
import type { HostConnector } from './host-connector'
import type { HostConnection } from './host-connection'

/** The host normally answers an abort well within this time. */
const ABORT_MS = 2_000

export interface HostedTerminalsOptions {
  home: string
  connector: HostConnector
  env: () => Record<string, string>
  settings: () => TaskSettings
  /** Runs commands when no host is available. */
  fallback: TerminalTasks
  /** Whether a command may move to the background at its time limit, if the settings say so. */
  movesAtLimit: boolean
  /** Called with the reason before a command falls back. */
  onUnavailable: (error: CodedError) => void
}

/**
 * Runs foreground commands in the task host, so that the user can view them, type into them, and move them to the
 * background.
 */
export function hostedTerminals(options: HostedTerminalsOptions): TerminalTasks {
  const { home, connector, env, settings, fallback, movesAtLimit, onUnavailable } = options

  async function inHost(
    link: HostConnection,
    { signal, onOutput, ...start }: TaskStart,
    maxChars: number,
  ): Promise<TaskEnd> {
    const taskId = newTaskId()
    const { atTimeLimit, logBytes } = settings()
    const startedAt = Date.now()
    const clock = performance.now()
    const giveUp = new AbortController()
    const endWithoutHost = (status: 'lost' | 'stopped', note: string): Promise<TaskEnd> =>
      endFromLog(home, { ...start, taskId, status, startedAt, clock }, maxChars, note)
    const printed = onOutput && link.onPrinted(onOutput)
    try {
      const params = {
        taskId,
        env: env(),
        logBytes,
        start,
        maxChars,
        moveAtLimit: movesAtLimit && atTimeLimit === 'background',
      }
      const answer = link.ask('run', { ...params, ...(printed && { outputId: printed.outputId }) }, signal)
      const gaveUp = noAnswerAfter(signal, giveUp.signal)
      answer.catch(() => {})
      return (
        (await Promise.race([answer, gaveUp])) ?? (await endWithoutHost('stopped', 'The task host did not answer.'))
      )
    } catch (error) {
      if (!link.isLost) throw error
      return endWithoutHost(
        'lost',
        'The task host that ran the command died, and the command most likely with it. ' +
          'The next command starts a new one.',
      )
    } finally {
      giveUp.abort()
      printed?.stop()
    }
  }

  return {
    async run(start, maxChars) {
      let link: HostConnection
      try {
        link = await connector.want()
      } catch (error) {
        if (!(error instanceof CodedError) || error.code !== 'task.host_unavailable') throw error
        onUnavailable(error)
        return fallback.run(start, maxChars)
      }
      return inHost(link, start, maxChars)
    },
    // `run` reports the failure.
    warm(sandbox) {
      connector
        .want()
        .then((link) => link.ask('warm', { env: env(), ...(sandbox && { sandbox }) }))
        .catch(() => fallback.warm(sandbox))
    },
    close: () => fallback.close(),
  }
}

/** Resolves `ABORT_MS` after the abort; never if `over` aborts first. */
function noAnswerAfter(signal: AbortSignal, over: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const begin = (): void => {
      const timer = setTimeout(() => resolve(undefined), ABORT_MS)
      over.addEventListener('abort', () => clearTimeout(timer), { once: true })
    }
    if (signal.aborted) begin()
    else signal.addEventListener('abort', begin, { once: true, signal: over })
  })
}

type Known = Omit<TaskStart, 'signal' | 'onOutput'> &
  Pick<Task, 'taskId' | 'status' | 'startedAt'> & { /** When it started, on the monotonic clock. */ clock: number }

/** The result of a command whose host does not answer; its output comes from the log. */
async function endFromLog(home: string, known: Known, maxChars: number, note: string): Promise<TaskEnd> {
  const { canAnswer: _canAnswer, timeoutMs: _timeoutMs, sandbox: _sandbox, clock, ...task } = known
  const outputPath = foregroundLog(home, task.taskId)
  const { text, total } = await readOutput(outputPath, { bytes: maxChars })
  const kept = [Buffer.from(text)]
  const dropped = total - Buffer.byteLength(text)
  const endedAt = Date.now()
  return {
    ...outputText(
      { head: dropped > 0 ? [] : kept, dropped, tail: dropped > 0 ? kept : [] },
      total,
      maxChars,
      `All of it: ${outputPath}`,
    ),
    task: { ...task, endedAt, outputPath, outputBytes: total, background: false },
    durationMs: Math.round(performance.now() - clock),
    leftRunning: [],
    notes: [note],
  }
}
