import { plural } from '../../../shared/language/plural'
import type { Effort } from '../../../shared/model/turn/effort'
import type { SettingsView } from '../../../shared/configuration/settings'
import type { Failure } from '../../../shared/errors'
import type { RecordedEvent, SessionEvent } from '../../../shared/events/event'
import type { Usage } from '../../../shared/model/turn/message'
import type { SessionHeader } from '../../../shared/model/session/session'
import type { TrustView } from '../../../shared/configuration/customize/customizations'
import { sessionEffort } from '../../../shared/configuration/session-model'
import { notificationLine, type UserNotification } from '../../../shared/model/assistant/notification'
import { oneLine } from '../../console/output'
import { inTerminal, terminalFailure } from '../../console/report'
import { createPrintOutput, type DeniedCalls, type PrintOutput } from './print-output'
import type { PrintOptions } from './print-options'

export type TurnFinished = RecordedEvent & { type: 'turn.finished' }

/** Exit codes: for a turn that completed with calls denied, for one ended by a spending limit, and after a signal. */
const CALLS_DENIED = 3
const LIMIT_REACHED = 4
const INTERRUPTED = 130

/** The output of a turn in its format; progress and retries go to stderr if the format does not use it. */
export function printOutput(format: PrintOptions['format']): PrintOutput {
  return createPrintOutput(
    format,
    process.stdout,
    format === 'text' && process.stderr.isTTY ? process.stderr : undefined,
    format === 'stream-json' ? undefined : process.stderr,
  )
}

/**
 * Ends the turn on a signal (SIGHUP: the terminal or its connection was closed) or when the reader of the output has
 * closed it. A second signal exits immediately; everything recorded so far is safe. Returns a function that tells
 * whether the turn was interrupted.
 */
export function interruptible(stop: () => Promise<void>): () => boolean {
  let interrupted = false
  const interrupt = (): void => {
    if (interrupted) process.exit(INTERRUPTED)
    interrupted = true
    stop().catch(() => process.exit(INTERRUPTED))
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt)
  process.stdout.on('error', () => {
    if (!interrupted) interrupt()
  })
  return () => interrupted
}

/** Prints a notification of the agent, in every format. */
export function reportNotification(output: PrintOutput, notification: UserNotification): void {
  output.notification(notification)
  process.stderr.write(`trestle: notification: ${oneLine(notificationLine(notification))}\n`)
}

/** The result of a turn that could not start. */
export async function reportFailure(format: PrintOptions['format'], failure: Failure): Promise<void> {
  const usage = { input: 0, output: 0, cached: 0, thinking: 0 }
  await createPrintOutput(format, process.stdout).finish({
    type: 'result',
    stop: 'error',
    answer: '',
    failure,
    steps: 0,
    denials: [],
    durationMs: 0,
    usage,
  })
}

/** Reports a change of the model's context, in every format. */
export function reportCompaction(event: SessionEvent): void {
  if (event.type !== 'compaction.finished') return
  process.stderr.write(
    `trestle: the conversation was compacted from about ${event.before} to ${event.after} tokens; ` +
      'the full history stays in the session.\n',
  )
}

const PARTS = { rules: 'rules', hooks: 'hooks', mcp: 'MCP servers', agents: 'agent specs' } as const

/** Warns that a project's rules, hooks and servers are disabled until the user trusts them; print mode cannot ask. */
export function reportUntrusted({ state, parts }: TrustView, folder: string): void {
  if (state === 'nothing' || state === 'trusted') return
  const why = {
    asked: "you haven't trusted them yet",
    changed: 'they have changed since you trusted them',
    refused: "you didn't trust them",
  }[state]
  const what = [...new Set(parts.map(({ kind }) => PARTS[kind]))].join(', ')
  process.stderr.write(
    `trestle: the settings of ${folder} (${what}) are off: ${why}. ` +
      'Review them with "trestle permission show", then run "trestle permission trust".\n',
  )
}

/** Warns when the model does not support the requested effort. */
export function reportEffort(settings: SettingsView, header: SessionHeader, effort: Effort): void {
  const id = header.model ?? settings.defaultModel
  const { offered, chosen } = sessionEffort(settings, { ...header, effort })
  // For an unlisted model, only the request shows whether it is supported.
  if (chosen === effort || !settings.models.some((model) => model.id === id)) return
  const what =
    offered.length === 0
      ? 'has no reasoning effort setting, so --effort is ignored'
      : `does not support effort "${effort}"; using "${chosen}"`
  process.stderr.write(`trestle: ${id} ${what}.\n`)
}

/** Reports how many requests of a session were cancelled so that it can be continued. */
export function reportCancelled(waited: number): void {
  if (waited === 0) return
  const what =
    waited === 1
      ? '1 request that waited for an answer was cancelled'
      : `${waited} requests that waited for an answer were cancelled`
  process.stderr.write(`trestle: ${what}: print mode cannot ask.\n`)
}

/** The usage of the turn: the difference between the session's sums after and before it. */
export function usageSince(before: SessionHeader['spent'], spent: SessionHeader['spent']): Usage {
  return {
    input: spent.input - before.input,
    output: spent.output - before.output,
    cached: spent.cached - before.cached,
    thinking: spent.thinking - before.thinking,
    ...(spent.cost !== undefined && { cost: rounded(spent.cost - (before.cost ?? 0)) }),
    ...(spent.isCostPartial && { isCostPartial: true as const }),
  }
}

/** Rounds to a hundredth of a cent, to hide floating-point noise. */
function rounded(dollars: number): number {
  return Math.round(dollars * 10_000) / 10_000
}

/** Writes the result of a turn to the output. */
export async function writeResult(
  output: PrintOutput,
  sessionId: string,
  { stop, failure, steps, durationMs }: TurnFinished,
  { denials, usage }: { denials: DeniedCalls['list']; usage: Usage },
): Promise<void> {
  await output.finish({
    type: 'result',
    sessionId,
    stop,
    answer: output.answer(),
    steps,
    denials,
    durationMs,
    usage,
    ...(failure && { failure: inTerminal(failure) }),
  })
}

/** Prints to stderr how the turn ended, unless that is obvious; returns the exit code. */
export function reportEnd({ stop, failure, steps }: TurnFinished, denied: DeniedCalls, interrupted: boolean): number {
  process.stderr.write(denied.toText())
  if (failure) process.stderr.write(terminalFailure(failure))
  if (interrupted || stop === 'cancelled') return INTERRUPTED
  if (stop === 'max_turn_requests')
    process.stderr.write(
      `trestle: the turn was ended after ${steps} ${plural(steps, 'step')}; ` +
        'the answer is what the model had so far.\n',
    )
  if (stop === 'repetition')
    process.stderr.write(
      `trestle: the turn was ended after ${steps} ${plural(steps, 'step')}, ` +
        'because the model kept making the same call with the same result.\n',
    )
  if (stop === 'max_tokens') process.stderr.write('trestle: the answer was cut off at the output limit of the model.\n')
  if (failure?.code === 'budget.reached') return LIMIT_REACHED
  if (stop !== 'end_turn') return 1
  return denied.list.length > 0 ? CALLS_DENIED : 0
}
