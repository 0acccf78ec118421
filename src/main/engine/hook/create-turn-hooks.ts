import { relative } from 'node:path'
import { fileDiffs } from '../../../shared/model/file-diffs'
import { textOf } from '../../../shared/model/message'
import type { HookedCall, TurnHooks } from '../loop/turn-hooks'
import type { ToolResult } from '../tool/tool'
import type { PlannedWrite, WriteHooks } from '../tool/write-hooks'
import { FileProblem } from '../workspace/file-problem'
import type { HookAnswer } from './hook-answer'
import type { HookRunner, Occasion } from './run-hooks'
import { WriteCache, type HookedWrite } from './write-cache'

export interface HookedTurn extends TurnHooks {
  writes: WriteHooks
}

/** So often a hook may send the agent on in one turn. */
const MOST_CONTINUATIONS = 10
const MOST_RESULT_CHARS = 100_000

/** The hooks of one turn. */
export function createTurnHooks(
  runner: Pick<HookRunner, 'run' | 'runInTurn'>,
  turn: { sessionId: string; folder: string; turnId: string; signal: AbortSignal },
): HookedTurn {
  const { sessionId, folder, turnId, signal } = turn
  const cache = new WriteCache()
  /** Paths whose writing is not told of yet. */
  const written = new Set<string>()
  let continuations = 0

  const run = (event: Occasion['event'], subject: string, told: Record<string, unknown>): Promise<HookAnswer[]> =>
    runner.run({ event, sessionId, folder, subject, told: { turn_id: turnId, ...told } }, signal)

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
        if ('cancelled' in made) throw new FileProblem(`A hook cancelled the write, so nothing was written: ${made.cancelled}`)
        return made.text
      },
      written(write) {
        cache.done(write)
        written.add(write.path)
      },
    },

    async beforeCall(call) {
      const reason = blockedBy(await run('PreToolUse', call.tool, aboutCall(call)))
      if (reason === undefined) return undefined
      const said = `A hook denied this call: ${reason}`
      return { allowed: false, message: said, judged: { decision: 'deny', reason: said } }
    },

    async afterCall(call, result, durationMs) {
      for (const { path } of fileDiffs(result.details))
        if (written.delete(path)) await run('afterWriteFile', shownPath(path), { path, tool_call_id: call.callId })
      await run('PostToolUse', call.tool, { ...aboutCall(call), tool_result: aboutResult(result), duration_ms: durationMs })
    },

    async beforeEnd(answer) {
      if (continuations >= MOST_CONTINUATIONS) return undefined
      const reason = blockedBy(await run('Stop', 'end_turn', { answer, stop_hook_active: continuations > 0 }))
      if (reason === undefined) return undefined
      continuations += 1
      return `A hook says that you are not done yet: ${reason}`
    },
  }
}

/** Why something is blocked, in the words of all who block it. */
export function blockedBy(answers: readonly HookAnswer[]): string | undefined {
  const reasons = answers.flatMap(({ outcome, reason }) => (outcome === 'blocked' ? [reason ?? ''] : []))
  return reasons.length === 0 ? undefined : [...new Set(reasons)].join('\n')
}

function aboutCall({ callId, tool, input, summary }: HookedCall): Record<string, unknown> {
  return { tool_name: tool, tool_input: input, tool_call_id: callId, summary }
}

function aboutResult({ content, isError = false }: ToolResult): Record<string, unknown> {
  return { text: textOf(content).slice(0, MOST_RESULT_CHARS), is_error: isError }
}
