import type { Progress } from '@modelcontextprotocol/client'
import { CodedError, failureOf } from '../../../../shared/model/errors'
import { failed, type CallContext, type ToolResult } from '../../tool/tool'
import type { CallInFlight } from '../connection-hooks'
import { callResult } from '../tool/call-result'
import { paramHeaders } from '../tool/param-headers'
import { CallClock } from './call-clock'
import { LOST } from '../transport/bounded-fetch'
import { codeOf, LostError, TimeoutError } from '../connection/connection-failure'
import { InputRefused } from '../connection/input-rounds'
import { callTask } from './call-task'
import type { Connection, RequestLimits } from '../connection/connection'
import type { SharedServer } from '../hub/shared-server'
import type { StartPlan } from '../hub/shared-server-deps'

/** A call of a tool, as it is to be made. */
export interface ServerCall {
  /** The session of the person: its subagents use servers as it. */
  sessionId: string
  server: string
  /** As the server calls it. */
  tool: string
  /** See `McpTool`. */
  needsTask: boolean
  input: Record<string, unknown>
  timeoutMs: number
  ctx: CallContext
  keep(name: string, bytes: Buffer): Promise<string>
  /** Somebody made it who can sign in at once: CodedError `mcp.sign_in` is thrown instead of told. */
  canSignIn?: true
}

/** Progress is shown at most this often. */
const SHOWN_EACH_MS = 250

/** Makes a call and answers with its result; whatever goes wrong is a result that says what happened and what to do. */
export async function callServer(shared: SharedServer, plan: StartPlan, call: ServerCall): Promise<ToolResult> {
  const { signal } = call.ctx
  try {
    return await shared.use(plan, call.sessionId, signal, (connection) => request(shared, connection, call))
  } catch (error) {
    if (call.canSignIn && error instanceof CodedError && error.code === 'mcp.sign_in') throw error
    if (signal.aborted) return failed('Stopped by the user. The server was told; it may have done part of its work.')
    return failed(explain(shared, call, error))
  }
}

async function request(shared: SharedServer, connection: Connection, call: ServerCall, isRepeated = false): Promise<ToolResult> {
  const { ctx, tool, input, timeoutMs } = call
  const late = new AbortController()
  const clock = new CallClock(timeoutMs, () => late.abort(new TimeoutError(`It did not answer within ${timeoutMs / 1000} s.`)))
  const inFlight: CallInFlight = { sessionId: call.sessionId, tool, ctx, hold: () => clock.hold() }
  const show = shownProgress((text) => ctx.progress(text))
  shared.calls.add(inFlight)
  try {
    // Tasks of the protocol are of its revision 2025-11-25; later they are an extension.
    if (connection.takesHeaders) await shared.listed(connection)
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
      void shared.doubt(connection)
      throw late.signal.reason
    }
    if (codeOf(error) === HEADER_MISMATCH && !isRepeated) {
      await shared.listed(connection, true)
      shared.calls.delete(inFlight)
      return await request(shared, connection, call, true)
    }
    const release = clock.hold()
    const opened = await shared.openPages(connection, inFlight, error)
    release()
    if (opened === undefined || isRepeated) throw error
    if (!opened) return failed(`The user did not open the page that ${call.server} needs for this. Go on without it, or ask the user.`)
    shared.calls.delete(inFlight)
    return await request(shared, connection, call, true)
  } finally {
    clock.end()
    shared.calls.delete(inFlight)
  }
}

/** The headers of a call are not those that the tool asks for now. */
const HEADER_MISMATCH = -32_020

const headersOf = ({ listing }: SharedServer, tool: string) => listing?.tools.find(({ name }) => name === tool)?.headers ?? []

const callAtOnce = (connection: Connection, params: Record<string, unknown>, limits: RequestLimits): Promise<Record<string, unknown>> =>
  connection.request('tools/call', params, limits)

/** What the call's card shows: no more often than anybody can read. */
function shownProgress(show: (text: string) => void): (progress: Progress) => void {
  let shownAt = 0
  return ({ progress, total, message }) => {
    const now = performance.now()
    if (now - shownAt < SHOWN_EACH_MS && progress !== total) return
    shownAt = now
    const count = typeof total === 'number' ? `${progress}/${total}` : `${progress}`
    show(typeof message === 'string' ? `${message.slice(0, 500)} (${count})\n` : `${count}\n`)
  }
}

/** What happened, and what the model can do about it. */
function explain(shared: SharedServer, { server, tool }: ServerCall, error: unknown): string {
  const message = failureOf(error).message
  if (error instanceof TimeoutError)
    return `${tool} of the MCP server ${server} got no answer: ${message} The server was told that it is cancelled; whether it has done anything is not known. Ask for less at once, or go on without it.`
  if (error instanceof CodedError && error.code === 'mcp.sign_in')
    return `${message} (the MCP server ${server}) The user can sign in under MCP servers in Settings: ask for it and call again after that, or go on without it.`
  if (error instanceof CodedError && error.code === 'mcp.scope_refused')
    return `${message} (the MCP server ${server}) Calling again does not help: go on without it, or tell the user.`
  if (error instanceof InputRefused)
    return `${tool} of the MCP server ${server} was not carried out: ${message} Go on without it, or ask the user.`
  if (error instanceof CodedError)
    return `The MCP server ${server} does not work: ${message}${tailOf(shared)} Go on without it, or tell the user.`
  if (shared.listing && !shared.listing.tools.some(({ name }) => name === tool) && !isLost(error))
    return `The MCP server ${server} has no ${tool} any more. Use another of its tools, or go on without it.`
  if (codeOf(error) === -32_602) return `The MCP server ${server} did not take the input of ${tool}: ${message} Correct it and call again.`
  if (isLost(error))
    return `The MCP server ${server} went away while it worked on ${tool}. ${shared.error?.message ?? ''} Whether it has done anything is not known.${tailOf(shared)} It is started anew with the next call.`
  return `The MCP server ${server} answered ${tool} with an error: ${message}`
}

function isLost(error: unknown): boolean {
  return error instanceof LostError || codeOf(error) === LOST
}

function tailOf({ error }: SharedServer): string {
  return error === undefined || error.stderr === '' ? '' : `\nThe end of what it printed:\n${error.stderr}\n`
}
