import { CodedError } from '../../../../shared/model/errors'
import type { TaskSettings } from '../../config/settings'
import { outputText } from '../output-text'
import { readOutput } from '../read-output'
import { newTaskId } from '../start-task'
import { foregroundLog } from '../task-record'
import type { TaskEnd, TaskStart, TerminalTasks } from '../terminal-tasks'
import type { HostKeeper } from './host-keeper'
import type { HostLink } from './host-link'

export interface HostedTerminalsOptions {
  home: string
  keeper: HostKeeper
  env: () => Record<string, string>
  settings: () => TaskSettings
  /** Where commands run when there is no host to be had. */
  fallback: TerminalTasks
}

/** Commands that calls wait for, in the task host: so a person can look at them, type into them, and send them to the background. */
export function hostedTerminals({ home, keeper, env, settings, fallback }: HostedTerminalsOptions): TerminalTasks {
  async function inHost(link: HostLink, { signal, onOutput, ...start }: TaskStart, maxChars: number): Promise<TaskEnd> {
    const taskId = newTaskId()
    const { atTimeLimit, logBytes } = settings()
    const startedAt = Date.now()
    const printed = onOutput && link.hearPrinted(onOutput)
    try {
      const params = { taskId, env: env(), logBytes, start, maxChars, moveAtLimit: atTimeLimit === 'background' }
      return await link.ask('run', { ...params, ...(printed && { outputId: printed.outputId }) }, signal)
    } catch (error) {
      if (!link.isLost) throw error
      return lostEnd(home, taskId, start, startedAt, maxChars)
    } finally {
      printed?.stop()
    }
  }

  return {
    async run(start, maxChars) {
      let link: HostLink
      try {
        link = await keeper.need()
      } catch (error) {
        if (error instanceof CodedError && error.code === 'task.host_unavailable') return fallback.run(start, maxChars)
        throw error
      }
      return inHost(link, start, maxChars)
    },
    // A failure shows in `run`.
    warm: () => void keeper.need().catch(() => fallback.warm()),
    close: () => fallback.close(),
  }
}

/** What is known of a command whose host died: what it had printed is in its log. */
async function lostEnd(
  home: string,
  taskId: string,
  start: Omit<TaskStart, 'signal' | 'onOutput'>,
  startedAt: number,
  maxChars: number,
): Promise<TaskEnd> {
  const outputPath = foregroundLog(home, taskId)
  const { text, total } = await readOutput(outputPath, { bytes: maxChars })
  const { canAnswer: _canAnswer, timeoutMs: _timeoutMs, ...about } = start
  const endedAt = Date.now()
  const bytes = Buffer.from(text)
  return {
    ...outputText(
      { head: total > bytes.length ? [] : [bytes], dropped: total - bytes.length, tail: [bytes] },
      total,
      maxChars,
      `All of it: ${outputPath}`,
    ),
    task: { ...about, taskId, status: 'lost', startedAt, endedAt, outputPath, outputBytes: total, background: false },
    durationMs: endedAt - startedAt,
    leftRunning: [],
    notes: ['The task host that ran the command died, and the command most likely with it. The next command starts a new one.'],
  }
}
