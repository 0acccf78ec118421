import { setTimeout as pause } from 'node:timers/promises'
import type { Progress } from '@modelcontextprotocol/client'
import { CodedError, failureOf } from '../../../../shared/errors'
import { failed, type CallContext, type ToolResult } from '../../tool/tool'
import {
  type CallInFlight,
  codeOf,
  LostError,
  TimeoutError,
  type Connection,
  type RequestLimits,
} from '../protocol/connection'
import { callResult } from '../tool/call-result'
import { paramHeaders } from '../tool/param-headers'
import { STREAM_LOST_CODE } from '../transport/bounded-fetch'
import { InputRefused } from '../protocol/request-rounds'
import type { SharedServer } from './shared-server'
import type { StartPlan } from './start-plan'
import { cutText } from '../../../../shared/cut-text'

/** A tool call to make. */
export interface ServerCall {
  /** The user's session; its subagents use servers as this session. */
  sessionId: string
  server: string
  /** The server's own name for the tool. */
  tool: string
  /** See `McpTool`. */
  needsTask: boolean
  input: Record<string, unknown>
  timeoutMs: number
  ctx: CallContext
  keep(name: string, bytes: Buffer): Promise<string>
  /** The caller can sign in immediately: `mcp.sign_in` is thrown instead of returned as a result. */
  canSignIn?: true
}

/** Minimum time between progress updates. */
const PROGRESS_INTERVAL_MS = 250

/** Makes a call and returns its result; every failure is a result that says what happened and what to do. */
export async function callServer(shared: SharedServer, plan: StartPlan, call: ServerCall): Promise<ToolResult> {
  const { signal } = call.ctx
  try {
    return await shared.use(plan, call.sessionId, signal, (connection) => request(shared, connection, call))
  } catch (error) {
    if (call.canSignIn && error instanceof CodedError && error.code === 'mcp.sign_in') throw error
    if (signal.aborted)
      return failed('Stopped by the user. The server was notified; it may have done part of its work.')
    return failed(explain(shared, call, error))
  }
}

async function request(
  shared: SharedServer,
  connection: Connection,
  call: ServerCall,
  isRepeated = false,
): Promise<ToolResult> {
  const { ctx, tool, input, timeoutMs } = call
  const late = new AbortController()
  const clock = new CallTimeout(timeoutMs, () =>
    late.abort(new TimeoutError(`It did not answer within ${timeoutMs / 1000} s.`)),
  )
  const inFlight: CallInFlight = { sessionId: call.sessionId, tool, ctx, pauseTimeout: () => clock.pause() }
  const show = shownProgress((text) => ctx.progress(text))
  shared.calls.add(inFlight)
  try {
    // Tasks belong to protocol revision 2025-11-25; later they are an extension.
    if (connection.takesHeaders) await shared.listingReady(connection)
    const make = call.needsTask && !connection.isStateless ? callTask : callAtOnce
    const answer = await make(
      connection,
      { name: tool, arguments: input },
      {
        signal: AbortSignal.any([ctx.signal, late.signal]),
        call: inFlight,
        ...(connection.takesHeaders && { headers: paramHeaders(headersOf(shared, tool), input) }),
        onProgress: (progress) => {
          clock.reset()
          show(progress)
        },
      },
    )
    shared.succeeded()
    return await callResult(answer, { server: call.server, tool, keep: call.keep })
  } catch (error) {
    if (ctx.signal.aborted) throw error
    if (late.signal.aborted) {
      void shared.checkAlive(connection)
      throw late.signal.reason
    }
    if (codeOf(error) === HEADER_MISMATCH && !isRepeated) {
      await shared.listingReady(connection, true)
      shared.calls.delete(inFlight)
      return await request(shared, connection, call, true)
    }
    const release = clock.pause()
    const opened = await shared.openPages(connection, inFlight, error)
    release()
    if (opened === undefined || isRepeated) throw error
    if (!opened)
      return failed(
        `The user did not open the page that ${call.server} needs for this. Continue without it, or ask the user.`,
      )
    shared.calls.delete(inFlight)
    return await request(shared, connection, call, true)
  } finally {
    clock.end()
    shared.calls.delete(inFlight)
  }
}

/** The error code of a server when the tool now requires other headers than the call has. */
const HEADER_MISMATCH = -32_020

const headersOf = ({ listing }: SharedServer, tool: string) =>
  listing?.tools.find(({ name }) => name === tool)?.headers ?? []

const callAtOnce = (
  connection: Connection,
  params: Record<string, unknown>,
  limits: RequestLimits,
): Promise<Record<string, unknown>> => connection.request('tools/call', params, limits)

/** Shows progress on the call's card, at a readable rate. */
function shownProgress(show: (text: string) => void): (progress: Progress) => void {
  let shownAt = 0
  return ({ progress, total, message }) => {
    const now = performance.now()
    if (now - shownAt < PROGRESS_INTERVAL_MS && progress !== total) return
    shownAt = now
    const count = typeof total === 'number' ? `${progress}/${total}` : `${progress}`
    show(typeof message === 'string' ? `${cutText(message, 500)} (${count})\n` : `${count}\n`)
  }
}

/** What happened, and what the model can do about it. */
function explain(shared: SharedServer, { server, tool }: ServerCall, error: unknown): string {
  const message = failureOf(error).message
  if (error instanceof TimeoutError)
    return (
      `${tool} of the MCP server ${server} got no answer: ${message} The server was asked to cancel it; ` +
      'whether it did anything is unknown. Request less in one call, or continue without it.'
    )
  if (error instanceof CodedError && error.code === 'mcp.sign_in')
    return (
      `${message} (the MCP server ${server}) The user can sign in under MCP servers in Settings: ` +
      'ask for it and call again after that, or continue without it.'
    )
  if (error instanceof CodedError && error.code === 'mcp.scope_refused')
    return `${message} (the MCP server ${server}) Calling again does not help: continue without it, or tell the user.`
  if (error instanceof InputRefused)
    return `${tool} of the MCP server ${server} was not carried out: ${message} Continue without it, or ask the user.`
  if (error instanceof CodedError)
    return (
      `The MCP server ${server} does not work: ${message}${stderrTail(shared)} Continue without it, ` +
      'or tell the user.'
    )
  if (shared.listing && !shared.listing.tools.some(({ name }) => name === tool) && !isLost(error))
    return `The MCP server ${server} no longer has ${tool}. Use another of its tools, or continue without it.`
  if (codeOf(error) === -32_602)
    return `The MCP server ${server} did not take the input of ${tool}: ${message} Correct it and call again.`
  if (isLost(error))
    return (
      `The MCP server ${server} went away while it worked on ${tool}. ${shared.error?.message ?? ''} ` +
      `Whether it did anything is unknown.${stderrTail(shared)} It restarts with the next call.`
    )
  return `The MCP server ${server} answered ${tool} with an error: ${message}`
}

function isLost(error: unknown): boolean {
  return error instanceof LostError || codeOf(error) === STREAM_LOST_CODE
}

function stderrTail({ error }: SharedServer): string {
  return error === undefined || error.stderr === '' ? '' : `\nThe end of what it printed:\n${error.stderr}\n`
}

/** How long a server should keep the result, in ms. */
const TTL_MS = 60 * 60_000
const MIN_POLL_MS = 250
const MAX_POLL_MS = 10_000
const POLL_MS = 1_000
const ENDED = new Set(['completed', 'failed', 'cancelled'])

/**
 * A call that the server carries out as a task (MCP 2025-11-25, tasks): the call starts the task, its state is polled
 * and shown as progress, and then its result is requested. An abort cancels the task.
 */
async function callTask(
  connection: Pick<Connection, 'request'>,
  params: Record<string, unknown>,
  limits: RequestLimits,
): Promise<Record<string, unknown>> {
  const { signal = new AbortController().signal, onProgress } = limits
  const started = await connection.request('tools/call', { ...params, task: { ttl: TTL_MS } }, limits)
  const task = taskIn(started['task'])
  // A server that needs no task answers immediately.
  if (!task) return started
  const cancel = (): void => void connection.request('tasks/cancel', { taskId: task.taskId }).catch(() => undefined)
  signal.addEventListener('abort', cancel, { once: true })
  const over = new AbortController()
  try {
    void follow(connection, task, AbortSignal.any([signal, over.signal]), (state, step) => {
      if (state.status === 'input_required') return
      onProgress?.({ progress: step, message: state.message ?? state.status })
    })
    // Answered when the task has ended; requests from the server arrive in the meantime.
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

/** Reports each change of the task's state until the task has ended or `signal` aborts. */
async function follow(
  connection: Pick<Connection, 'request'>,
  task: TaskState,
  signal: AbortSignal,
  onChange: (state: TaskState, step: number) => void,
): Promise<void> {
  let known = ''
  let step = 0
  for (let state: TaskState | undefined = task; state && !ENDED.has(state.status) && !signal.aborted;) {
    const now = `${state.status} ${state.message ?? ''}`
    if (now !== known) onChange(state, (step += 1))
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
  const pollMs = typeof pollInterval === 'number' ? Math.min(Math.max(pollInterval, MIN_POLL_MS), MAX_POLL_MS) : POLL_MS
  return { taskId, status, pollMs, ...(typeof statusMessage === 'string' && { message: statusMessage }) }
}

/** Progress does not extend a call beyond this limit. */
const MAX_CALL_MS = 60 * 60_000

/** The timeout of a call: progress restarts it, and it is paused while the user is asked. */
class CallTimeout {
  readonly #ms: number
  readonly #late: () => void
  #timer: NodeJS.Timeout | undefined
  readonly #longest: NodeJS.Timeout
  #holds = 0
  #isOver = false

  constructor(ms: number, late: () => void) {
    this.#ms = ms
    this.#late = late
    this.#longest = setTimeout(late, Math.max(MAX_CALL_MS, ms))
    this.reset()
  }

  reset(): void {
    clearTimeout(this.#timer)
    if (this.#holds === 0 && !this.#isOver) this.#timer = setTimeout(this.#late, this.#ms)
  }

  /** Pauses until the returned function is called. */
  pause(): () => void {
    this.#holds++
    clearTimeout(this.#timer)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#holds--
      this.reset()
    }
  }

  end(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    clearTimeout(this.#longest)
  }
}
