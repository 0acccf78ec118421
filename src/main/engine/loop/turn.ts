import type { EventBody } from '../../../shared/events/event'
import { failureOf, type Failure } from '../../../shared/errors'
import { textOf, type ToolCallPart, type UserPart } from '../../../shared/model/turn/message'
import type { AnnouncedFact } from '../../../shared/model/turn/context'
import type { StopReason } from '../../../shared/model/session/session'
import { createGuards } from './guards'
import { isSuspended, type OpenTurn, type DMailCall, type TurnContext } from './turn-context'
import { runStep, type StepEnd } from './step'
import type { TurnHooks } from './call-lifecycle'
import type { runToolCalls as RunToolCalls } from './tool-calls'

/** Loaded after the first request has been sent, because nothing needs it earlier. */
let runToolCalls: typeof RunToolCalls | undefined

/** `suspended`: the turn has not ended; calls that wait for the user are left to a later process. */
export interface TurnEnd {
  stop: StopReason | 'suspended'
  failure?: Failure
  steps: number
}

/**
 * Asks the model and runs its calls until it answers without calling a tool; starts with the calls of `open`, if given.
 * Never rejects.
 */
export async function runTurn(ctx: TurnContext, open?: OpenTurn): Promise<TurnEnd> {
  const guards = createGuards(ctx.settings.maxRepeats)
  for (const step of open?.past ?? []) guards.observe(step)
  let steps = open?.steps ?? 0
  let hasContinued = false
  const stopped = (): TurnEnd => ({ stop: isSuspended(ctx.signal) ? 'suspended' : 'cancelled', steps })
  const runCalls = async (stepId: string, calls: readonly ToolCallPart[]): Promise<TurnEnd | undefined> => {
    runToolCalls ??= (await import('./tool-calls')).runToolCalls
    const end = await runToolCalls(ctx, stepId, calls, open?.stepId === stepId ? open : undefined)
    if (!end) return { stop: 'suspended', steps }
    if (ctx.signal.aborted || end.endsTurn) return stopped()
    if (end.dMail) return goBack(ctx, end.dMail)
    const reminder = guards.observe({ calls, results: end.results, longestMs: end.longestMs })
    if (reminder) ctx.record(...addReminder(ctx, reminder))
    const instructions = await ctx.conversation.instructionsFor?.(end.touched)
    if (instructions !== undefined) ctx.record(...addReminder(ctx, instructions))
    const errors = await ctx.calls.diagnostics?.report(ctx.signal)
    if (errors !== undefined) ctx.record(...addReminder(ctx, errors))
    return undefined
  }
  try {
    const ended = open && open.calls.length > 0 && (await runCalls(open.stepId, open.calls))
    if (ended) return ended
    for (;;) {
      if (ctx.leaves?.()) return { stop: 'suspended', steps }
      const notice = ctx.conversation.planNotice()
      if (notice) ctx.record(...addReminder(ctx, notice.text, { plan: notice.plan }))
      const changes = ctx.conversation.prefix.pendingChanges()
      if (changes) ctx.record(...addReminder(ctx, changes.text, { facts: changes.facts }))
      takeSteering(ctx)
      const recall = await ctx.conversation.recall?.()
      if (recall) ctx.record(...addReminder(ctx, recall.text, { memory: recall.entries }))
      if (ctx.signal.aborted) return stopped()
      const ending = steps >= ctx.settings.maxSteps ? 'max_steps' : guards.ending()
      const may = (await ctx.model.mayAsk?.()) ?? 'allowed'
      if (may === 'stopped') return { stop: 'cancelled', steps }
      if (ctx.signal.aborted) return stopped()
      if (may !== 'allowed') return { stop: 'error', failure: may.failure, steps }
      await ctx.conversation.budget.enforce()
      if (ctx.signal.aborted) return stopped()
      await ctx.conversation.prefix.renew()
      const instruction = ending && guards.finalInstruction(ending, ctx.settings.maxSteps)
      // When the same request is repeated, the history already ends with it.
      if (instruction !== undefined && !endsWithReminder(ctx, instruction)) ctx.record(...addReminder(ctx, instruction))
      steps += 1
      const step = await runStep(ctx, { n: steps, isLast: ending !== undefined })
      if (step.kind === 'stopped') return stopped()
      if (
        step.kind === 'failed' &&
        step.failure.code === 'model.context_overflow' &&
        ctx.conversation.budget.onOverflow(step.failure)
      ) {
        steps -= 1
        continue
      }
      if (step.kind === 'failed' && (await ctx.model.fallBack?.(step.failure))) {
        steps -= 1
        continue
      }
      if (step.kind === 'failed') return { stop: 'error', failure: step.failure, steps }
      // The final answer, without tools, does not count towards the step limit.
      if (ending) return { stop: ending === 'max_steps' ? 'max_turn_requests' : 'repetition', steps: steps - 1 }
      if (step.calls.length === 0) {
        if (step.finish === 'length' && !hasContinued) {
          hasContinued = true
          ctx.record(...addReminder(ctx, outputLimitReminder(step.cut)))
          continue
        }
        const steering = takeSteering(ctx)
        if (steering > 0) continue
        if (ctx.calls.hooks && step.finish === 'stop') {
          if (await shouldContinue(ctx, ctx.calls.hooks)) continue
          if (ctx.signal.aborted) return stopped()
        }
        return { stop: stopOf(step), steps, ...(step.finish === 'refusal' && { failure: refusal() }) }
      }
      const end = await runCalls(step.stepId, step.calls)
      if (end) return end
    }
  } catch (error) {
    return { stop: 'error', failure: failureOf(error), steps }
  }
}

/** The reminder after an answer that reached the output limit; `calls`: the tools it was calling. */
function outputLimitReminder(calls: readonly string[]): string {
  const lost =
    calls.length === 0
      ? 'Continue exactly where it stopped, without repeating what you said.'
      : `Your call${calls.length === 1 ? '' : 's'} of ${calls.join(', ')} ` +
        `${calls.length === 1 ? 'was' : 'were'} not run. ` +
        `Make ${calls.length === 1 ? 'it' : 'them'} again in smaller pieces: write a long file in several calls.`
  return `Your last answer was cut off at the output limit. ${lost}`
}

/** Whether a hook, or a message that arrived while hooks ran, makes the agent continue. */
async function shouldContinue(ctx: TurnContext, hooks: TurnHooks): Promise<boolean> {
  const last = ctx.conversation.history.at(-1)
  const reason = await hooks.beforeEnd(last?.role === 'assistant' ? textOf(last.parts) : '')
  if (ctx.signal.aborted) return false
  if (reason !== undefined) ctx.record(...addReminder(ctx, reason))
  return takeSteering(ctx) > 0 || reason !== undefined
}

/** Continues the conversation from the checkpoint that the D-Mail was sent to. */
async function goBack(ctx: TurnContext, mail: DMailCall): Promise<undefined> {
  const restored = await ctx.checkpoints.goBack(mail)
  if ('problem' in restored) {
    ctx.record(...addReminder(ctx, `The D-Mail was not sent: ${restored.problem}`))
    return undefined
  }
  ctx.conversation.history.splice(0, ctx.conversation.history.length, ...restored.history)
  ctx.conversation.budget.historyReplaced()
  return undefined
}

function takeSteering(ctx: TurnContext): number {
  const joined = ctx.conversation.takeSteering()
  for (const { parts, promptId, news } of joined) {
    ctx.record({
      type: 'turn.steered',
      turnId: ctx.turnId,
      parts,
      by: news ? 'task' : 'user',
      ...(promptId !== undefined && { promptId }),
      ...(news && { news }),
    })
    ctx.conversation.history.push({ role: 'user', parts, ...(news && { by: 'task' }) })
  }
  return joined.length
}

function endsWithReminder({ conversation: { history } }: TurnContext, text: string): boolean {
  const last = history.at(-1)
  return last?.role === 'user' && last.by === 'guard' && textOf(last.parts) === text
}

/** Adds a message of the loop itself to the history; returns the events to record. */
function addReminder(
  ctx: TurnContext,
  text: string,
  details: { plan?: 'on' | 'off'; facts?: AnnouncedFact[]; memory?: number[] } = {},
): EventBody[] {
  const parts: UserPart[] = [{ type: 'text', text }]
  ctx.conversation.history.push({ role: 'user', parts, by: 'guard' })
  return [{ type: 'turn.steered', turnId: ctx.turnId, parts, by: 'guard', ...details }]
}

function stopOf(step: StepEnd & { kind: 'answered' }): StopReason {
  if (step.finish === 'length') return 'max_tokens'
  if (step.finish === 'refusal') return 'refusal'
  return 'end_turn'
}

function refusal(): Failure {
  return {
    code: 'model.refused',
    title: 'The provider withheld the answer',
    message: 'The answer was stopped by a content filter.',
    advice: 'Rephrase the request.',
    retryable: false,
  }
}
