import { z } from 'zod'
import { lazySchema } from '../../../../shared/lazy-schema'
import { truncateStart } from '../../task/output/output-text'
import type { SessionTasks } from '../session-services'
import { durationText, outputLines, shortenedTask, taskSummary, taskLines } from '../task-lines'
import { ok, refuse, type Tool, type ToolResult } from '../tool'
import description from './task-stop.md?raw'

const TAIL_BYTES = 4 * 1024
/** Time limit in ms: SIGTERM, a grace period of 5 s and SIGKILL take time. */
const TIMEOUT_MS = 60_000

const input = lazySchema(() =>
  z.strictObject({
    task_id: z.string().min(1).describe('As Bash or TaskList gave it'),
    reason: z.string().trim().min(1).max(500).default('Stopped by TaskStop').describe('Why, in a few words'),
  }),
)

/** Ends a background task; the result reports its end. */
export function taskStopTool({ tasks }: { tasks: SessionTasks }): Tool<typeof input> {
  return {
    name: 'TaskStop',
    description,
    input,
    subject: ['task_id'],
    annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
    timeoutMs: TIMEOUT_MS,
    async prepare({ task_id: taskId, reason }) {
      const found = await tasks.find(taskId)
      if ('problem' in found) return refuse(found.problem)
      const { task } = found
      const age =
        task.status === 'running'
          ? `running for ${durationText(Date.now() - task.startedAt)}`
          : `already ${task.status}`
      return {
        summary: taskSummary(task),
        accesses: [],
        preview: async () => ({ kind: 'text', text: `Stop ${taskId}, ${age}:\n${task.command}\n\nReason: ${reason}` }),
        rememberAs: { key: 'task-stop', label: "Allow stopping this session's background tasks for this session" },
        run: () => stop(tasks, taskId, reason),
      }
    },
  }
}

async function stop(tasks: SessionTasks, taskId: string, reason: string): Promise<ToolResult> {
  const before = await tasks.find(taskId)
  const ended = 'task' in before && before.task.status !== 'running'
  const task = await tasks.stop(taskId, reason)
  const { text } = await tasks.tail(task, TAIL_BYTES)
  const note = ended ? 'It had ended before; nothing was stopped.' : 'Stopped, with everything it had started.'
  const printed = text === '' ? 'It had printed no output.' : `The end of its output:\n${text}`
  return ok([note, ...taskLines(task, { whole: true }), ...outputLines(task), '', printed].join('\n'), {
    kind: 'task',
    task: shortenedTask(task),
    text: truncateStart(text, 8_000),
    truncated: task.outputBytes > TAIL_BYTES,
    ...(task.status !== 'running' && { told: true }),
  })
}
