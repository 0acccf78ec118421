import { textOf } from '../../../shared/model/turn/message'
import { failed, type CallContext, type PreparedCall, type Tool, type ToolResult } from '../tool/tool'
import type { TurnContext } from './turn-context'

const DEFAULT_TIMEOUT_MS = 30_000
/** After a stop, a tool has this long to report its progress; then the turn ends without it. */
const STOP_GRACE_MS = 400

/**
 * Runs a call with its timeout, which is paused while the call waits for the user. After a stop, the call has a moment
 * to report before it is abandoned.
 */
export async function runWithTimeout(
  ctx: TurnContext,
  tool: Tool,
  call: PreparedCall,
  { callId, answer, sandbox }: Pick<CallContext, 'callId' | 'answer' | 'sandbox'>,
): Promise<ToolResult> {
  const limitMs = tool.timeoutMs === undefined ? DEFAULT_TIMEOUT_MS : tool.timeoutMs
  const inner = new AbortController()
  const tooLong = `${tool.name} took longer than ${(limitMs ?? 0) / 1000} s and was stopped. Ask for less in one call.`
  let timedOut = false
  let grace: NodeJS.Timeout | undefined
  const { promise: abandoned, resolve: abandon } = Promise.withResolvers<ToolResult>()
  const giveUp = (text: string): void => {
    grace ??= setTimeout(() => abandon(failed(text)), STOP_GRACE_MS)
  }
  const limit = pausableTimer(limitMs, () => {
    timedOut = true
    inner.abort(new Error('timed out'))
    giveUp(tooLong)
  })
  const stop = (): void => {
    inner.abort(ctx.signal.reason)
    giveUp('Stopped by the user.')
  }
  ctx.signal.addEventListener('abort', stop, { once: true })
  const context: CallContext = {
    callId,
    signal: inner.signal,
    progress: (text) => ctx.live({ type: 'tool.progress', callId, text }),
    async ask(question, signal) {
      limit.pause()
      try {
        const ends = signal ? AbortSignal.any([inner.signal, signal]) : inner.signal
        return await ctx.calls.ask({ turnId: ctx.turnId, callId, tool: tool.name }, question, ctx.signal, ends)
      } finally {
        limit.resume()
      }
    },
    ...(answer && { answer }),
    ...(sandbox && { sandbox }),
  }
  try {
    const result = await Promise.race([call.run(context), abandoned])
    if (!timedOut || textOf(result.content).includes(tooLong)) return result
    return { ...result, isError: true, content: [...result.content, { type: 'text', text: `\n${tooLong}` }] }
  } finally {
    clearTimeout(grace)
    limit.pause()
    ctx.signal.removeEventListener('abort', stop)
    inner.abort(CALL_ENDED)
  }
}

const CALL_ENDED = new Error('The call has already ended.')

/** Calls `onTimeout` when the timer has run for `ms` in total; never when `ms` is null. Pauses nest. */
function pausableTimer(ms: number | null, onTimeout: () => void): { pause(): void; resume(): void } {
  let left = ms ?? 0
  let pauses = 0
  let since = performance.now()
  let timer = ms === null ? undefined : setTimeout(onTimeout, left)
  return {
    pause() {
      pauses += 1
      if (pauses > 1 || ms === null) return
      clearTimeout(timer)
      left -= performance.now() - since
    },
    resume() {
      pauses -= 1
      if (pauses > 0 || ms === null) return
      since = performance.now()
      timer = setTimeout(onTimeout, Math.max(0, left))
    },
  }
}
