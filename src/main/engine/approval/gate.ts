import { CodedError } from '../../../shared/errors'
import {
  REJECT_STOP,
  type Approval,
  type ApprovalOption,
  type ApprovalProposal,
  type EditedProposal,
  type RuleChoice,
} from '../../../shared/model/approval/approval'
import type { CommandSandbox } from '../../../shared/model/task/sandbox'
import { textOf } from '../../../shared/model/turn/message'
import { visibleText } from '../../../shared/visible-text'
import type { PersonQuestion, PreparedCall } from '../tool/tool'
import type { Gate, GateAnswer, GateCall } from '../loop/call-lifecycle'
import type { PastCall } from './choices/rule-choices'
import {
  grantedRule,
  optionsFor,
  denialAnswer,
  judgementOf,
  rejectionMessage,
  unattendedAnswer,
  proposalOf,
  withEdit,
} from './gate-answers'
import { CallJudge, type JudgedSession } from './call-judge'
import { CallQuestions } from './call-questions'
import type { JudgedCall, Policy, Verdict } from './rules/policy'
import { chosenSandbox, commandOptions } from './policies/sandbox-verdict'
import { asPinned, type ToolPins } from './rules/tool-pins'
import { visibleCall } from './visible-preview'
import { WaitingRequests, type Waiting, type WaitingRequestsDeps, type ApprovalAnswer } from './waiting-requests'

export interface GateDeps extends WaitingRequestsDeps {
  /** Default: all policies. */
  policies?: readonly Policy[]
  /** The session whose state decides about the calls. */
  session: JudgedSession
  /** Whether a user is available to answer. */
  canAsk(): boolean
  /** The same for questions during a call, which end with the process. Default: same as `canAsk`. */
  canAskMidCall?(): boolean
  now(): number
  newId(prefix: string): string
  /** Aborts the session's turn, without waiting for its end. */
  stopTurn(): void
  kept: KeptApprovals
}

/** What the user allowed beyond a single call. */
export interface KeptApprovals {
  /**
   * Writes allow rules into the user's own configuration. On failure, throws `config.write_failed` and changes nothing.
   */
  keepRules(patterns: readonly string[]): Promise<void>
  /** Records of MCP tools as they were when allowed. Without it, changed tools are not detected. */
  toolPins?: ToolPins
  /** The session's earlier calls, newest first, to show what a rule would have decided about them. */
  pastCalls(): Promise<readonly PastCall[]>
}

export interface ApprovalGate {
  gate: Gate
  /**
   * Requests left pending by an earlier process. An answer to one of them waits until its call reaches the gate again.
   * Replaces the previous list.
   */
  expect(asked: readonly Approval[]): void
  /** Asks the user during a call; see `CallContext.ask`. */
  ask: CallQuestions['ask']
  /** Closes a request whose call will no longer be made; no effect when it is not pending. */
  withdraw(asked: Approval, reason: string): void
  /**
   * Settles a pending approval. Throws `approval.gone` when it is no longer pending, `config.write_failed` when its
   * rule cannot be saved.
   */
  reply(answer: ApprovalAnswer): Promise<void>
  /** What "always" can cover for a pending approval, narrowest first. */
  choices(approvalId: string): Promise<RuleChoice[]>
  /**
   * What the call of a pending approval proposes to write, or would write with the user's changes; undefined when it
   * cannot be edited. Throws `request.invalid` when the changed call would fail.
   */
  proposal(approvalId: string, edited?: EditedProposal): Promise<ApprovalProposal | undefined>
  /** Judges pending requests again after the rules changed, and settles those that a rule now allows or denies. */
  reconsider(): Promise<void>
}

const CHANGED = 'What it would do has changed since you were asked.'
const RULE_KEPT = 'The rule is in your config.toml.'

/** Judges calls and asks the user about the rest. Requests can be pending at the same time; each is answered once. */
export function createGate(deps: GateDeps): ApprovalGate {
  const { session, kept } = deps
  const requests = new WaitingRequests(deps)
  const { record, now, newId } = deps
  const judge = new CallJudge(session, kept.toolPins, deps.policies)
  const canAsk = (): boolean => (deps.canAskMidCall ?? deps.canAsk)()
  const questions = new CallQuestions({ record, now, newId, canAsk })

  const gate: Gate = async (request, signal) => {
    const judged = await judge.judgedCall(request)
    const verdict = judge.verdictOn(judged)
    signal.throwIfAborted()
    if (request.asked) return resumeWaiting(request.asked, request, judged, verdict, signal)
    if (verdict.decision === 'allow') {
      if (verdict.rule) kept.toolPins?.pinFirst(request.tool)
      return { allowed: true, judged: judgementOf(verdict), ...sandboxOf(verdict) }
    }
    if (verdict.decision === 'deny') return denialAnswer(verdict)
    if (!deps.canAsk()) {
      const { asks } = request.call
      if (asks) return unattendedAnswer(request.call, asks)
      const reason = `This needs approval (${verdict.reason}), but no user is available to give it.`
      return denialAnswer({ ...verdict, reason })
    }
    return ask(request, judged, verdict, signal)
  }

  async function ask(
    request: GateCall,
    judged: JudgedCall,
    { reason, everyTime, sandbox }: Verdict,
    signal: AbortSignal,
  ): Promise<GateAnswer> {
    // Don't ask for approval of a call that cannot work.
    const problem = await request.call.check?.()
    if (problem) return { allowed: false, message: textOf(problem.content) }
    const { summary, preview } = await visibleCall(request.call.summary, request.preview, judged.toolChange)
    const { ruleOffers } = await import('./choices/rule-offers')
    signal.throwIfAborted()
    const { asks } = request.call
    await asks?.asking?.()
    signal.throwIfAborted()
    const offers = everyTime ? [] : ruleOffers(judge.policies, asPinned(judged))
    const approval: Approval = {
      approvalId: deps.newId('approval'),
      turnId: request.turnId,
      callId: request.callId,
      tool: request.tool.name,
      summary,
      reason: visibleText(reason),
      ...(!asks && judge.reasonsOf(judged, reason.startsWith(CHANGED) ? CHANGED : undefined)),
      ...(preview && { preview }),
      options: asks?.options ?? (sandbox ? commandOptions(sandbox, offers[0]?.label) : optionsFor(offers[0])),
      ...(asks && { asks: asks.about }),
      requestedAt: deps.now(),
    }
    deps.record({ type: 'approval.requested', approval })
    return requests.add({ approval, request, offers, signal }).answer
  }

  /** A request from an earlier process has reached the gate again. */
  async function resumeWaiting(
    approval: Approval,
    request: GateCall,
    judged: JudgedCall,
    verdict: Verdict,
    signal: AbortSignal,
  ): Promise<GateAnswer> {
    const offered = approval.options.some((option) => option.kind === 'allow_always')
    const { ruleOffers } = await import('./choices/rule-offers')
    signal.throwIfAborted()
    const offers = offered && !verdict.everyTime ? ruleOffers(judge.policies, asPinned(judged)) : []
    const { entry, answer } = requests.add({ approval, request, offers, signal })
    settleByRule(entry, verdict)
    return answer
  }

  async function reply(given: ApprovalAnswer): Promise<void> {
    if (questions.reply(given)) return
    const { approvalId, optionId, feedback, rule, edited } = given
    const entry = await requests.find(approvalId)
    const option = entry.approval.options.find((candidate) => candidate.optionId === optionId)
    if (!option)
      throw new CodedError(
        'request.invalid',
        `optionId: one of ${entry.approval.options.map((known) => known.optionId).join(', ')}`,
      )
    if (entry.request.call.asks) return answerQuestion(entry, entry.request.call.asks, option, given)
    const stops = option.optionId === REJECT_STOP
    const granted = option.kind === 'allow_always' ? grantedRule(entry.offers, rule) : undefined
    await requests.answer(entry, async () => {
      const call = option.kind === 'reject_once' ? undefined : await confirmCall(entry, edited)
      if (granted?.scope === 'user') {
        await kept.keepRules(granted.pattern.split('\n'))
        requests.assertWaiting(entry, RULE_KEPT)
      }
      if (granted) kept.toolPins?.pin(entry.request.tool)
      const words = feedback?.trim()
      const sandbox = chosenSandbox(option)
      const answer: GateAnswer = call
        ? { allowed: true, call, ...(sandbox && { sandbox }) }
        : { allowed: false, message: rejectionMessage(words, stops) }
      const isNamed = stops || (option.sandbox === 'unrestricted' && option.optionId !== 'allow_once')
      const chosen = isNamed && { chosen: option.optionId }
      requests.end(
        entry,
        option.kind,
        {
          ...chosen,
          ...(words && { feedback: words }),
          ...(granted && { rule: granted }),
          ...(call && edited && { edited: true as const }),
        },
        answer,
      )
      // Before any waiting caller gets the answer.
      if (stops) deps.stopTurn()
    })
    if (granted) await reconsider()
  }

  /** Passes the user's answer to the call that asked for it. */
  async function answerQuestion(
    entry: Waiting,
    asks: PersonQuestion,
    option: ApprovalOption,
    given: ApprovalAnswer,
  ): Promise<void> {
    const { approvalId: _id, rule: _rule, edited: _edited, ...answer } = given
    const problem = asks.problemOf(answer)
    if (problem !== undefined) throw new CodedError('request.invalid', problem)
    const words = given.feedback?.trim()
    await requests.answer(entry, async () =>
      requests.end(
        entry,
        option.kind,
        { chosen: option.optionId, ...(words && { feedback: words }) },
        { allowed: true, answer: { ...answer, ...(words && { feedback: words }) } },
      ),
    )
  }

  /**
   * The call as prepared now, if it is still allowed and still does what was shown. Otherwise the request ends with the
   * reason, and if the call is still possible, it asks again.
   */
  async function confirmCall(entry: Waiting, edited?: EditedProposal): Promise<PreparedCall> {
    const { request, approval, signal } = entry
    const call = await request.prepareAgain()
    requests.assertWaiting(entry)
    if ('refused' in call) throw cancelImpossible(entry, textOf(call.refused.content))
    const again: GateCall = { ...request, call, preview: call.preview ?? (async () => undefined) }
    const judged = await judge.judgedCall(again)
    const verdict = judge.ruleVerdict(judged)
    const { summary, preview } = await visibleCall(call.summary, again.preview, judged.toolChange)
    const changed = summary !== approval.summary || JSON.stringify(preview) !== JSON.stringify(approval.preview)
    const problem = changed ? await call.check?.() : undefined
    requests.assertWaiting(entry)
    if (verdict.decision === 'deny') {
      settleByRule(entry, verdict)
      throw goneError(`Denied: ${verdict.reason}`)
    }
    if (problem) throw cancelImpossible(entry, textOf(problem.content))
    if (!changed) return edited ? editedCall(entry, call, edited) : call
    const { asked: _before, ...fresh } = again
    requests.end(entry, 'cancelled', { reason: CHANGED }, () =>
      ask(fresh, judged, { ...verdict, reason: `${CHANGED} ${verdict.reason}` }, signal),
    )
    throw goneError(`${CHANGED} Review the new request.`)
  }

  /** The call with the user's changes, prepared and judged like any other. */
  async function editedCall(entry: Waiting, call: PreparedCall, edited: EditedProposal): Promise<PreparedCall> {
    const made = await withEdit(call, edited)
    const judged = await judge.judgedCall({ ...entry.request, call: made })
    const verdict = judge.ruleVerdict(judged)
    const problem = await made.check?.()
    requests.assertWaiting(entry)
    if (verdict.decision === 'deny') {
      settleByRule(entry, verdict)
      throw goneError(`Denied: ${verdict.reason}`)
    }
    if (problem) throw new CodedError('request.invalid', `edited: ${textOf(problem.content)}`)
    return made
  }

  /** Ends a request whose call is no longer possible; the model gets the reason. */
  function cancelImpossible(entry: Waiting, why: string): CodedError {
    requests.end(entry, 'cancelled', { reason: `It can no longer be done: ${why}` }, { allowed: false, message: why })
    return goneError(`It can no longer be done: ${why}`)
  }

  async function choices(approvalId: string): Promise<RuleChoice[]> {
    const entry = await requests.find(approvalId)
    if (entry.offers.length === 0) return []
    const { ruleChoices } = await import('./choices/rule-choices')
    const judged = asPinned(await judge.judgedCall(entry.request))
    return ruleChoices(judge.policies, entry.offers, judged, await kept.pastCalls())
  }

  async function reconsider(): Promise<void> {
    for (const entry of requests.all()) {
      const verdict = judge.verdictOn(await judge.judgedCall(entry.request))
      if (!entry.answering && requests.has(entry)) settleByRule(entry, verdict)
    }
  }

  /** Settles a request that a rule now allows or denies. */
  function settleByRule(entry: Waiting, verdict: Verdict): void {
    const { decision, rule, reason } = verdict
    if (decision === 'ask' || (decision === 'allow' && !rule)) return
    const answer: GateAnswer = decision === 'allow' ? { allowed: true, ...sandboxOf(verdict) } : denialAnswer(verdict)
    requests.end(entry, decision === 'allow' ? 'allow_always' : 'reject_once', { reason }, answer)
  }

  return {
    gate,
    reply,
    choices,
    proposal: async (approvalId, edited) =>
      proposalOf(await (await requests.find(approvalId)).request.prepareAgain(), edited),
    reconsider,
    expect: (asked) => requests.expect(asked),
    withdraw: (asked, reason) => requests.withdraw(asked, reason),
    ask: (...asking) => questions.ask(...asking),
  }
}

function sandboxOf({ sandbox }: Verdict): { sandbox?: CommandSandbox } {
  return sandbox ? { sandbox } : {}
}

function goneError(how: string): CodedError {
  return new CodedError('approval.gone', how)
}
