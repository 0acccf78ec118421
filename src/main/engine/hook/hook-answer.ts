import { z } from 'zod'
import type { HookEvent, HookOutcome } from '../../../shared/model/hook'
import type { HookEnd } from './hook-process'

/** What a run means. */
export interface HookAnswer {
  outcome: Exclude<HookOutcome, 'running'>
  /** Why it blocked, or what went wrong; a sentence. */
  reason?: string
  /** What is to be written instead. */
  content?: string
}

/** The events that a hook can keep from happening. */
const BLOCKABLE: ReadonlySet<HookEvent> = new Set<HookEvent>(['UserPromptSubmit', 'PreToolUse', 'beforeWriteFile', 'Stop'])
const BLOCKS = 2
const MOST_REASON_CHARS = 4_000

const Answer = z.object({
  decision: z.string().optional(),
  reason: z.string().optional(),
  content: z.string().optional(),
  hookSpecificOutput: z.object({ permissionDecision: z.string().optional(), permissionDecisionReason: z.string().optional() }).optional(),
})

/** Reads exit code and answer: exit 2 or a JSON answer that denies blocks what can be blocked; whatever else went wrong changes nothing. */
export function hookAnswer(event: HookEvent, end: HookEnd): HookAnswer {
  if (end.cut === 'timed_out') return { outcome: 'timed_out', reason: 'It took longer than its time limit and was ended.' }
  if (end.cut === 'stopped') return { outcome: 'stopped' }
  if (end.problem !== undefined) return { outcome: 'failed', reason: end.problem }
  if (end.exitCode === BLOCKS) return blocked(event, end.stderr.trim() || end.stdout.trim())
  if (end.exitCode !== 0) return { outcome: 'failed', reason: `It ended with exit code ${end.exitCode}.` }
  const text = end.stdout.trim()
  // Anything that is no object is only said.
  if (!text.startsWith('{')) return { outcome: 'passed' }
  if (end.stdoutCut) return { outcome: 'failed', reason: 'Its answer is too long.' }
  const answer = Answer.safeParse(parsed(text)).data
  if (!answer) return { outcome: 'failed', reason: 'Its answer is no JSON that could be understood.' }
  const { decision, reason, content, hookSpecificOutput: specific } = answer
  if (decision === 'deny' || decision === 'block') return blocked(event, reason ?? '')
  if (specific?.permissionDecision === 'deny') return blocked(event, specific.permissionDecisionReason ?? '')
  return event === 'beforeWriteFile' && content !== undefined ? { outcome: 'changed', content } : { outcome: 'passed' }
}

function blocked(event: HookEvent, words: string): HookAnswer {
  if (!BLOCKABLE.has(event)) return { outcome: 'failed', reason: `It wanted to block, which ${event} does not allow.` }
  const reason = words.length > MOST_REASON_CHARS ? `${words.slice(0, MOST_REASON_CHARS)}…` : words
  return { outcome: 'blocked', reason: reason || 'It gave no reason.' }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
