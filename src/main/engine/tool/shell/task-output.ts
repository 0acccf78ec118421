import { z } from 'zod'
import { lazySchema, type SchemaOutput } from '../../../../shared/lazy-schema'
import type { Task } from '../../../../shared/model/task/task'
import { truncateStart } from '../../task/output/output-text'
import { TERMINAL_PREFIX } from '../../terminal/terminal-client'
import type { SessionTasks, TerminalScreens } from '../session-services'
import { outputLines, shortenedTask, taskSummary, taskLines } from '../task-lines'
import { failed, ok, type CallContext, type Tool, type ToolResult } from '../tool'
import description from './task-output.md?raw'

const TAIL_BYTES = 32 * 1024
const CARD_CHARS = 8_000

const input = lazySchema(() =>
  z.strictObject({
    task_id: z.string().min(1).describe('As Bash or TaskList gave it'),
    block: z.boolean().default(false).describe('Wait for the end of the task'),
    timeout: z.number().min(0).max(3600).default(30).describe('How long to wait, in seconds'),
  }),
)

type Input = SchemaOutput<typeof input>

interface TaskOutputDeps {
  tasks: SessionTasks
  terminals?: TerminalScreens
}

/** The state of a background task and its latest output. */
export function taskOutputTool({ tasks, terminals }: TaskOutputDeps): Tool<typeof input> {
  return {
    name: 'TaskOutput',
    description,
    input,
    subject: ['task_id'],
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    // It waits as long as requested.
    timeoutMs: null,
    async prepare(asked) {
      if (terminals && asked.task_id.startsWith(TERMINAL_PREFIX))
        return {
          summary: 'Terminal of the user',
          accesses: [],
          run: () => screenOf(terminals, asked.task_id),
        }
      const found = await tasks.find(asked.task_id)
      const summary = 'task' in found ? taskSummary(found.task) : asked.task_id
      return { summary, accesses: [], run: (ctx) => run(tasks, asked, ctx) }
    },
  }
}

async function run(
  tasks: SessionTasks,
  { task_id: taskId, block, timeout }: Input,
  ctx: CallContext,
): Promise<ToolResult> {
  const found = await tasks.find(taskId)
  if ('problem' in found) return failed(found.problem)
  const waits = block && found.task.status === 'running'
  const task = waits ? await tasks.wait(taskId, timeout * 1000, ctx.signal) : found.task
  const { text, shownBytes, totalBytes } = await tasks.tail(task, TAIL_BYTES)
  const cut = shownBytes < totalBytes
  const lines = [
    `retrieval_status: ${retrievalOf(task, block)}`,
    ...taskLines(task, { whole: true }),
    ...outputLines(task),
    '',
    text === ''
      ? 'It has printed no output.'
      : cut
        ? `The last ${shownBytes} of ${totalBytes} bytes:`
        : 'All of its output:',
  ]
  return ok(text === '' ? lines.join('\n') : `${lines.join('\n')}\n${text}`, {
    kind: 'task',
    task: shortenedTask(task),
    text: truncateStart(text, CARD_CHARS),
    truncated: cut || text.length > CARD_CHARS,
  })
}

function retrievalOf(task: Task, block: boolean): 'success' | 'timeout' | 'not_ready' {
  if (task.status !== 'running') return 'success'
  return block ? 'timeout' : 'not_ready'
}

/** The content of one of the user's terminals, as text. */
async function screenOf(terminals: TerminalScreens, terminalId: string): Promise<ToolResult> {
  const text = await terminals.screen(terminalId)
  if (text === undefined) return failed(`The user does not let you watch a terminal ${terminalId}.`)
  return ok(text === '' ? 'The terminal shows nothing.' : `The user's terminal shows, newest last:\n${text}`)
}
