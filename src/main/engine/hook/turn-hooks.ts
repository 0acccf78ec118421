import { relative } from 'node:path'
import { createHash } from 'node:crypto'
import { fileDiffs } from '../../../shared/model/approval/preview'
import { textOf } from '../../../shared/model/turn/message'
import type { HookedCall, TurnHooks } from '../loop/call-lifecycle'
import type { ToolResult } from '../tool/tool'
import type { PlannedWrite, WriteHooks } from '../tool/edit/write-changes'
import { FileProblem } from '../workspace/path/file-problem'
import type { HookAnswer, HookRunner, HookTrigger } from './hook-runner'

export interface HookedTurn extends TurnHooks {
  writes: WriteHooks
}

/** How many times hooks can make the agent continue in one turn. */
const MAX_CONTINUATIONS = 10
const MAX_RESULT_CHARS = 100_000

/** The hooks of one turn. */
export function createTurnHooks(
  runner: Pick<HookRunner, 'run' | 'runInTurn'>,
  turn: { sessionId: string; folder: string; turnId: string; signal: AbortSignal },
): HookedTurn {
  const { sessionId, folder, turnId, signal } = turn
  const cache = new WriteCache()
  /** Written paths that hooks were not notified of yet. */
  const written = new Set<string>()
  let continuations = 0

  const run = (event: HookTrigger['event'], subject: string, payload: Record<string, unknown>): Promise<HookAnswer[]> =>
    runner.run({ event, sessionId, folder, subject, payload: { turn_id: turnId, ...payload } }, signal)

  const shownPath = (path: string): string => {
    const within = relative(folder, path)
    return within.startsWith('..') ? path : within
  }

  const askAboutWrite = async ({ path, text, exists }: PlannedWrite): Promise<HookedWrite> => {
    let made: HookedWrite = { text }
    await runner.runInTurn(
      { event: 'beforeWriteFile', sessionId, folder, subject: shownPath(path) },
      () => ({ turn_id: turnId, path, content: 'text' in made ? made.text : text, exists }),
      ({ outcome, reason, content }) => {
        if (outcome === 'blocked') made = { cancelled: reason ?? '' }
        else if (content !== undefined) made = { text: content }
      },
      signal,
    )
    return made
  }

  return {
    writes: {
      async before(write) {
        const made = await cache.get(write, () => askAboutWrite(write))
        if (signal.aborted) throw new FileProblem('Stopped before anything was written.')
        if ('cancelled' in made)
          throw new FileProblem(`A hook cancelled the write, so nothing was written: ${made.cancelled}`)
        return made.text
      },
      written(write) {
        cache.set(write)
        written.add(write.path)
      },
    },

    async beforeCall(call) {
      const reason = blockedBy(await run('PreToolUse', call.tool, callPayload(call)))
      if (reason === undefined) return undefined
      const said = `A hook denied this call: ${reason}`
      return { allowed: false, message: said, judged: { decision: 'deny', reason: said } }
    },

    async afterCall(call, result, durationMs) {
      for (const { path } of fileDiffs(result.details))
        if (written.delete(path)) await run('afterWriteFile', shownPath(path), { path, tool_call_id: call.callId })
      await run('PostToolUse', call.tool, {
        ...callPayload(call),
        tool_result: resultPayload(result),
        duration_ms: durationMs,
      })
    },

    async beforeEnd(answer) {
      if (continuations >= MAX_CONTINUATIONS) return undefined
      const reason = blockedBy(await run('Stop', 'end_turn', { answer, stop_hook_active: continuations > 0 }))
      if (reason === undefined) return undefined
      continuations += 1
      return `A hook says that you are not done yet: ${reason}`
    },
  }
}

/** The combined reasons of all hooks that block. */
export function blockedBy(answers: readonly HookAnswer[]): string | undefined {
  const reasons = answers.flatMap(({ outcome, reason }) => (outcome === 'blocked' ? [reason ?? ''] : []))
  return reasons.length === 0 ? undefined : [...new Set(reasons)].join('\n')
}

function callPayload({ callId, tool, input, summary }: HookedCall): Record<string, unknown> {
  return { tool_name: tool, tool_input: input, tool_call_id: callId, summary }
}

function resultPayload({ content, isError = false }: ToolResult): Record<string, unknown> {
  return { text: textOf(content).slice(0, MAX_RESULT_CHARS), is_error: isError }
}

/** The result of hooks for a write: the text, or why it must not be written. */
type HookedWrite = { text: string } | { cancelled: string }

/** A patch can write this many files. */
const MAX_KEPT = 128

/**
 * Caches the hooks' result for a write until it is done: it is needed for display, approval and writing, and must be
 * the same each time. After a cancellation, the hooks run again.
 */
class WriteCache {
  readonly #kept = new Map<string, Promise<HookedWrite>>()

  async get(write: PlannedWrite, ask: () => Promise<HookedWrite>): Promise<HookedWrite> {
    const key = keyOf(write)
    const known = this.#kept.get(key)
    if (known) return known
    const asked = ask()
    this.#kept.set(key, asked)
    for (const oldest of this.#kept.keys()) if (this.#kept.size > MAX_KEPT) this.#kept.delete(oldest)
    try {
      const made = await asked
      if ('cancelled' in made) this.#kept.delete(key)
      return made
    } catch (error) {
      this.#kept.delete(key)
      throw error
    }
  }

  set(write: PlannedWrite): void {
    this.#kept.delete(keyOf(write))
  }
}

function keyOf({ path, text, exists }: PlannedWrite): string {
  return createHash('sha256')
    .update(JSON.stringify([path, exists]))
    .update(text)
    .digest('hex')
}
