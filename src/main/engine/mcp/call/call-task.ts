import { setTimeout as pause } from 'node:timers/promises'
import type { Connection, RequestLimits } from '../connection/connection'

/** So long a server is to keep the result, in ms. */
const TTL_MS = 60 * 60_000
const LEAST_POLL_MS = 250
const MOST_POLL_MS = 10_000
const POLL_MS = 1_000
const ENDED = new Set(['completed', 'failed', 'cancelled'])

/**
 * A call that the server carries out as a task (MCP 2025-11-25, tasks): the call begins it, its state is asked for and shown as progress, and then its result. An
 * abort cancels the task.
 */
export async function callTask(
  connection: Pick<Connection, 'request'>,
  params: Record<string, unknown>,
  limits: RequestLimits,
): Promise<Record<string, unknown>> {
  const { signal = new AbortController().signal, onProgress } = limits
  const begun = await connection.request('tools/call', { ...params, task: { ttl: TTL_MS } }, limits)
  const task = taskIn(begun['task'])
  // A server that needs no task after all has answered already.
  if (!task) return begun
  const cancel = (): void => void connection.request('tasks/cancel', { taskId: task.taskId }).catch(() => undefined)
  signal.addEventListener('abort', cancel, { once: true })
  const over = new AbortController()
  try {
    void follow(connection, task, AbortSignal.any([signal, over.signal]), (state, step) => {
      if (state.status === 'input_required') return
      onProgress?.({ progress: step, message: state.message ?? state.status })
    })
    // It is answered when the task has ended; what the server asks meanwhile comes with it.
    return await connection.request('tasks/result', { taskId: task.taskId }, { signal })
  } finally {
    over.abort()
    signal.removeEventListener('abort', cancel)
  }
}

interface TaskState {
  taskId: string
  status: string
  message?: string
  pollMs: number
}

/** Tells whenever the state of the task is another, until it has ended or nobody wants to know any more. */
async function follow(
  connection: Pick<Connection, 'request'>,
  task: TaskState,
  signal: AbortSignal,
  tell: (state: TaskState, step: number) => void,
): Promise<void> {
  let known = ''
  let step = 0
  for (let state: TaskState | undefined = task; state && !ENDED.has(state.status) && !signal.aborted;) {
    const now = `${state.status} ${state.message ?? ''}`
    if (now !== known) tell(state, (step += 1))
    known = now
    try {
      await pause(state.pollMs, undefined, { signal })
      state = taskIn(await connection.request('tasks/get', { taskId: task.taskId }, { signal }))
    } catch {
      return
    }
  }
}

function taskIn(value: unknown): TaskState | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { taskId, status, statusMessage, pollInterval } = value as Record<string, unknown>
  if (typeof taskId !== 'string' || typeof status !== 'string') return undefined
  const pollMs = typeof pollInterval === 'number' ? Math.min(Math.max(pollInterval, LEAST_POLL_MS), MOST_POLL_MS) : POLL_MS
  return { taskId, status, pollMs, ...(typeof statusMessage === 'string' && { message: statusMessage }) }
}
