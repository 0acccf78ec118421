import { CodedError } from '../../../../shared/errors'
import type { Task } from '../../../../shared/model/task'
import type { TaskSettings } from '../../config/settings/settings'
import { outputText } from '../output/output-text'
import { readOutput } from '../output/log-files'
import { newTaskId } from '../task-starter'
import { foregroundLog } from '../task-record'
import type { TaskEnd, TaskStart, TerminalTasks } from '../task-supervisor'
import type { HostConnector } from './host-connector'
import type { HostConnection } from './host-connection'

/** The host answers an abort well within this. */
const ABORT_MS = 2_000

export interface HostedTerminalsOptions {
  home: string
  connector: HostConnector
  env: () => Record<string, string>
  settings: () => TaskSettings
  /** Where commands run when there is no host to be had. */
  fallback: TerminalTasks
  /** Whether a command can go on in the background at its time limit, where the settings say so. */
  movesAtLimit: boolean
  /** Told, before a command falls back, why there is no host. */
  onUnavailable: (error: CodedError) => void
}

/** Commands that calls wait for, in the task host: so a person can look at them, type into them, and send them to the background. */
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
    const giveUp = new AbortController()
    const endWithoutHost = (status: 'lost' | 'stopped', note: string): Promise<TaskEnd> =>
      endFromLog(home, { ...start, taskId, status, startedAt }, maxChars, note)
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
        'The task host that ran the command died, and the command most likely with it. The next command starts a new one.',
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
    // A failure shows in `run`.
    warm(sandbox) {
      connector
        .want()
        .then((link) => link.ask('warm', { env: env(), ...(sandbox && { sandbox }) }))
        .catch(() => fallback.warm(sandbox))
    },
    close: () => fallback.close(),
  }
}

/** Resolves a while after the abort; never when `over` comes first. */
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

type Known = Omit<TaskStart, 'signal' | 'onOutput'> & Pick<Task, 'taskId' | 'status' | 'startedAt'>

/** What is known of a command that its host says nothing of: what it had printed is in its log. */
async function endFromLog(home: string, known: Known, maxChars: number, note: string): Promise<TaskEnd> {
  const { canAnswer: _canAnswer, timeoutMs: _timeoutMs, sandbox: _sandbox, ...task } = known
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
    durationMs: endedAt - task.startedAt,
    leftRunning: [],
    notes: [note],
  }
}
