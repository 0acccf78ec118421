import type { Approval } from '../../../shared/model/approval/approval'
import { failureOf } from '../../../shared/errors'
import { textOf, type ToolCallPart, type ToolMessage } from '../../../shared/model/turn/message'
import { tooManyFilesAdvice } from '../process/file-descriptors'
import { truncateResult } from '../tool/truncate-result'
import { failed, ok, type Access, type CallContext, type PreparedCall, type Tool, type ToolResult } from '../tool/tool'
import { withinFileLimit, runScheduled } from './call-schedule'
import { createBatchRecorder, type BatchRecorder } from './batch-recorder'
import type { GateCall, HookedCall } from './call-lifecycle'
import { type OpenStep, type DMailCall, type Touched, type TurnContext, isSuspended, stopMessage } from './turn-context'
import { countDistinct, MERGED_RESULT, mergeCalls } from './merge-calls'
import { runWithTimeout } from './call-timeout'

const DEFAULT_MAX_CHARS = 50_000

interface Job {
  part: ToolCallPart
  startedAt: number
  accesses: readonly Access[]
  /** The request for it that is pending from an earlier process. */
  asked?: Approval
  tool?: Tool
  input?: unknown
  call?: PreparedCall
  /** Set when the call cannot be made. */
  refused?: ToolResult
}

/** The results of a step's calls; `endsTurn`: the user's answer to one of them ends the turn. */
export interface CallsEnd {
  results: ToolMessage[]
  /** Duration of the longest call, in ms. */
  longestMs: number
  endsTurn: boolean
  /** Paths that the successful calls accessed. */
  touched: Touched[]
  /** The call that sends a D-Mail, if any. */
  dMail?: DMailCall
}

/**
 * Runs the calls of one step; results are returned, and added to the history, in the order of the calls. `open`: what
 * an earlier process has completed. Undefined when the turn was suspended and open calls are left to a later process.
 */
export async function runToolCalls(
  ctx: TurnContext,
  stepId: string,
  parts: readonly ToolCallPart[],
  open?: OpenStep,
): Promise<CallsEnd | undefined> {
  const results = new Map<string, ToolResult>(open?.results)
  const asked = new Map(open?.approvals.map((approval) => [approval.callId, approval]))
  const isAlone = (): boolean => countDistinct(parts) === 1
  const all = await Promise.all(parts.map((part) => prepareJob(ctx, part, isAlone, asked.get(part.callId))))
  const copies = mergeCalls(all)
  const jobs = all.filter(({ part }) => !results.has(part.callId) && !copies.has(part.callId))
  const recorder = createBatchRecorder(ctx.record)
  let longestMs = 0
  const finish = (part: ToolCallPart, result: ToolResult, startedAt: number): void => {
    results.set(part.callId, result)
    const { content, isError = false, details } = result
    const durationMs = ctx.clock.now() - startedAt
    longestMs = Math.max(longestMs, durationMs)
    recorder.add({
      type: 'tool.finished',
      turnId: ctx.turnId,
      callId: part.callId,
      name: part.name,
      content,
      isError,
      durationMs,
      ...(details && { details }),
    })
  }
  const unknown = all.filter(({ part }) => !open?.known.has(part.callId) && !results.has(part.callId))
  if (unknown.length > 0) ctx.record(...unknown.map((job) => started(ctx, stepId, job)))
  const endsTurn = (): boolean => [...results.values()].some((result) => result.endsTurn)
  await runScheduled(jobs, async (job, waited) => {
    if (endsTurn()) return finish(job.part, failed('Not run: the user ended the turn.'), job.startedAt)
    const result = await runJob(ctx, job, waited, recorder).catch((error: unknown) =>
      failed(tooManyFilesAdvice(error) ?? `Trestle failed to run this call: ${failureOf(error).message}`),
    )
    if (result) finish(job.part, result, job.startedAt)
  })
  for (const part of parts) {
    const result = results.get(copies.get(part.callId) ?? '')
    if (result && !results.has(part.callId))
      finish(part, { ...ok(MERGED_RESULT), isError: result.isError ?? false }, ctx.clock.now())
  }
  recorder.flush()
  if (parts.some((part) => !results.has(part.callId)) && isSuspended(ctx.signal)) return undefined
  const messages = parts.map((part): ToolMessage => {
    const result = results.get(part.callId) ?? failed('The call was not run.')
    return {
      role: 'tool',
      callId: part.callId,
      name: part.name,
      ...(part.sentAs && { sentAs: part.sentAs.name }),
      isError: result.isError ?? false,
      content: result.content,
    }
  })
  ctx.conversation.history.push(...messages)
  const dMail = [...results.values()].map(({ details }) => details).find((details) => details?.kind === 'd-mail')
  return {
    results: messages,
    longestMs,
    endsTurn: endsTurn(),
    touched: touchedBy(jobs, results),
    ...(dMail && { dMail }),
  }
}

async function prepareJob(
  ctx: TurnContext,
  part: ToolCallPart,
  isAlone: () => boolean,
  asked: Approval | undefined,
): Promise<Job> {
  const job: Job = { part, startedAt: ctx.clock.now(), accesses: [], ...(asked && { asked }) }
  const tool = ctx.tools.get(part.name)
  if (!tool) return { ...job, refused: failed(ctx.tools.unknownTool(part.name)) }
  if (tool.alone && !isAlone())
    return {
      ...job,
      refused: failed(
        `${tool.name} must be the only call of its step. Look at the results of the others first; then call it again.`,
      ),
    }
  const parsed = ctx.tools.parseInput(tool, part.input)
  if ('error' in parsed) return { ...job, tool, refused: failed(parsed.error) }
  return { ...job, tool, input: parsed.input, ...(await prepare(tool, parsed.input)) }
}

async function prepare(tool: Tool, input: unknown): Promise<Pick<Job, 'call' | 'accesses' | 'refused'>> {
  try {
    const prepared = await tool.prepare(input)
    return 'refused' in prepared
      ? { refused: prepared.refused, accesses: [] }
      : { call: prepared, accesses: prepared.accesses }
  } catch (error) {
    return {
      refused: failed(tooManyFilesAdvice(error) ?? `Trestle failed to prepare this call: ${failureOf(error).message}`),
      accesses: [],
    }
  }
}

function started(ctx: TurnContext, stepId: string, { part, call }: Job) {
  return {
    type: 'tool.started' as const,
    turnId: ctx.turnId,
    stepId,
    callId: part.callId,
    name: part.name,
    input: part.input,
    summary: call?.summary ?? '',
  }
}

function touchedBy(jobs: readonly Job[], results: ReadonlyMap<string, ToolResult>): Touched[] {
  return jobs
    .filter(({ part }) => results.get(part.callId)?.isError !== true)
    .flatMap(({ accesses }) =>
      accesses.flatMap((access): Touched[] => {
        if (access.kind === 'command') return [{ path: access.cwd, isFolder: true }]
        return access.kind === 'file' || access.kind === 'tree'
          ? [{ path: access.path, isFolder: access.kind === 'tree' }]
          : []
      }),
    )
}

/** Undefined when the turn was suspended before the call started: a later process resumes it. */
async function runJob(
  ctx: TurnContext,
  job: Job,
  waited: boolean,
  recorder: BatchRecorder,
): Promise<ToolResult | undefined> {
  if (ctx.signal.aborted) return notRun(ctx, job, 'Not run: the turn was stopped first.')
  const { tool, asked } = job
  // The calls it waited for may have changed its file, so it is prepared again.
  const { call, refused } = tool && waited && job.input !== undefined ? await prepare(tool, job.input) : job
  if (!tool || !call) {
    const result = refused ?? failed('The call could not be prepared.')
    if (asked) ctx.calls.withdraw(asked, `It can no longer be done: ${textOf(result.content)}`)
    return result
  }
  const hooked = { callId: job.part.callId, tool: tool.name, input: job.input, summary: call.summary }
  const denial = await ctx.calls.hooks?.beforeCall(hooked)
  if (ctx.signal.aborted) return notRun(ctx, job, 'Not run: the turn was stopped first.')
  if (denial) {
    if (asked) ctx.calls.withdraw(asked, denial.message)
    if (denial.judged)
      recorder.add({ type: 'tool.judged', turnId: ctx.turnId, callId: job.part.callId, ...denial.judged })
    return failed(denial.message)
  }
  const request: GateCall = {
    callId: job.part.callId,
    turnId: ctx.turnId,
    tool,
    call,
    preview: call.preview ?? (async () => undefined),
    prepareAgain: () => tool.prepare(job.input),
    ...(asked && { asked }),
  }
  const answer = await ctx.calls.gate(request, ctx.signal).catch((error: unknown) => {
    if (ctx.signal.aborted) return undefined
    throw error
  })
  if (!answer || (answer.allowed && ctx.signal.aborted))
    return notRun(ctx, job, 'Not run: the turn was stopped before it was allowed.')
  // Without an answer of the user, this event tells a later process that the call has started.
  if (answer.judged)
    recorder.add({ type: 'tool.judged', turnId: ctx.turnId, callId: job.part.callId, ...answer.judged })
  if (!answer.allowed) return failed(answer.message)
  const allowed = answer.call ?? call
  const run = (): Promise<ToolResult | undefined> =>
    runWithCheckpoint(
      ctx,
      job,
      { ...hooked, tool, call: allowed, answer: answer.answer, sandbox: answer.sandbox },
      recorder,
    )
  return runInSchedule(ctx, job, allowed, () => withinFileLimit(allowed.accesses, ctx.signal, run))
}

/** Backs up what an allowed call may change, then runs it. Undefined when the turn was suspended first. */
async function runWithCheckpoint(
  ctx: TurnContext,
  job: Job,
  {
    tool,
    call,
    answer,
    sandbox,
    ...hooked
  }: Omit<HookedCall, 'tool'> & {
    tool: Tool
    call: PreparedCall
    answer: CallContext['answer']
    sandbox: CallContext['sandbox']
  },
  recorder: BatchRecorder,
): Promise<ToolResult | undefined> {
  const { callId } = hooked
  // The call does not run if its changes could not be undone.
  const backup = ctx.checkpoints.backUp({ callId, tool, call })
  const checkpoint =
    backup &&
    (await backup.catch((error: unknown) => ({ problem: tooManyFilesAdvice(error) ?? failureOf(error).message })))
  if (ctx.signal.aborted) return notRun(ctx, job, 'Not run: the turn was stopped first.')
  if (checkpoint && 'problem' in checkpoint)
    return failed(`Not run: what it may change could not be kept for undo. ${checkpoint.problem}`)
  if (checkpoint) recorder.add(checkpoint.made)
  await recorder.written()
  job.startedAt = ctx.clock.now()
  // Hooks on writes do not count towards the tool's timeout.
  const problem = ctx.calls.hooks && !answer && (await call.check?.())
  const result =
    problem ||
    (await runWithTimeout(ctx, tool, call, { callId, ...(answer && { answer }), ...(sandbox && { sandbox }) }))
  await ctx.calls.hooks?.afterCall({ ...hooked, tool: tool.name }, result, ctx.clock.now() - job.startedAt)
  // After the hooks, so that undo also reverts what a formatter hook changed.
  const changed = await checkpoint?.changed()
  if (changed) recorder.add(changed)
  ctx.calls.diagnostics?.ran({
    accesses: call.accesses,
    ...(checkpoint && { changes: changed?.changes ?? [] }),
    failed: result.isError ?? false,
  })
  return truncateResult(result, {
    maxChars: ctx.calls.maxResultChars(tool.name) ?? tool.maxResultChars ?? DEFAULT_MAX_CHARS,
    save: (text) => ctx.calls.saveResult(callId, text),
  })
}

/**
 * Runs a call when no call of another agent conflicts with it, so that its checkpoint contains only its own changes.
 */
async function runInSchedule(
  ctx: TurnContext,
  job: Job,
  call: PreparedCall,
  run: () => Promise<ToolResult | undefined>,
): Promise<ToolResult | undefined> {
  if (!ctx.calls.scheduleAcrossAgents) return run()
  let hasStarted = false
  const start = (): Promise<ToolResult | undefined> => {
    hasStarted = true
    return run()
  }
  try {
    return await ctx.calls.scheduleAcrossAgents(call.accesses, ctx.signal, start)
  } catch (error) {
    if (hasStarted || !ctx.signal.aborted) throw error
    return notRun(ctx, job, 'Not run: the turn was stopped while it waited for a call of another agent.')
  }
}

function notRun(ctx: TurnContext, { asked }: Job, text: string): ToolResult | undefined {
  if (isSuspended(ctx.signal)) return undefined
  if (asked) ctx.calls.withdraw(asked, stopMessage(ctx.signal))
  return failed(text)
}
