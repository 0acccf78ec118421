import { CodedError } from '../../../shared/errors'
import {
  REJECT_OPTIONS,
  REJECT_STOP,
  type Approval,
  type ApprovalOption,
  type PermissionMode,
  type RuleChoice,
} from '../../../shared/model/approval'
import type { CommandSandbox } from '../../../shared/model/sandbox'
import { textOf } from '../../../shared/model/message'
import { visibleLine, visibleText } from '../../../shared/visible-text'
import type { PersonQuestion, PreparedCall } from '../tool/tool'
import type { Gate, GateAnswer, GateCall } from '../loop/call-lifecycle'
import type { Workspace } from '../workspace/workspace'
import type { PastCall } from './choices/rule-choices'
import type { RuleOffer } from './choices/rule-offers'
import { approvalReasons, judge } from './policies/judge'
import { CallQuestions } from './call-questions'
import { denialAnswer, judgementOf, rejectionMessage, unattendedAnswer } from './gate-answers'
import type { CommandSandboxes, JudgedCall, Policy, Verdict } from './rules/policy'
import type { PermissionRule } from '../permission/permission-rule'
import { chosenSandbox, commandOptions } from './policies/sandbox-verdict'
import { inspectCommand } from './command/inspect-command'
import { asPinned, type ToolPins } from './rules/tool-pins'
import { visibleCall } from './visible-preview'
import { WaitingRequests, type Waiting, type WaitingRequestsDeps, type ApprovalAnswer } from './waiting-requests'

export interface GateDeps extends WaitingRequestsDeps {
  policies: readonly Policy[]
  mode(): PermissionMode
  /** What alone may change, in plan mode; of an agent that works for another, that of the other. */
  plan(): { file: string } | undefined
  /** See `JudgedCall`. */
  readOnlyAgent?(): string | undefined
  /** See `JudgedCall`. */
  home: string
  ownOutput: readonly string[]
  /** The session's folders as they are now. */
  workspace(): Workspace
  /** The rules as they are now. */
  rules(): Promise<readonly PermissionRule[]>
  /** What the sandboxes can do for the commands of the session now; default: there are none, and nothing is said of them. */
  sandboxes?(forCommand: boolean): Promise<CommandSandboxes | undefined>
  /** Whether somebody is there to be asked. */
  canAsk(): boolean
  now(): number
  newId(prefix: string): string
  /** Whether the user allowed this key for the session. */
  isRemembered(key: string): boolean
  /** Ends the session's turn at once: whoever waits for it is not waited for. */
  stopTurn(): void
  /** Writes allow rules into the user's own configuration; `config.write_failed` and nothing is changed otherwise. */
  keepRules(patterns: readonly string[]): Promise<void>
  /** What servers' tools were when they were allowed; without it, they may change. */
  toolPins?: ToolPins
  /** What the session has done before, newest first, to show what a rule would have meant for it. */
  pastCalls(): Promise<readonly PastCall[]>
}

export interface ApprovalGate {
  gate: Gate
  /** These wait since before this process began: who answers them waits until their calls have come to the gate again. Replaces what was expected before. */
  expect(asked: readonly Approval[]): void
  /** Asks a person in the midst of a call; see `CallContext.ask`. */
  ask: CallQuestions['ask']
  /** Closes a request whose call is not to be made any more; harmless when it does not wait. */
  withdraw(asked: Approval, reason: string): void
  /** Settles a waiting approval; `approval.gone` when it does not wait any more, `config.write_failed` when its rule cannot be kept. */
  reply(answer: ApprovalAnswer): Promise<void>
  /** What "always" can cover for a waiting approval, narrowest first. */
  choices(approvalId: string): Promise<RuleChoice[]>
  /** Judges what waits again, after rules have changed: what a rule now allows or denies is settled by it. */
  reconsider(): Promise<void>
}

const CHANGED = 'What it would do has changed since you were asked.'
const RULE_KEPT = 'The rule is in your config.toml.'

/** Judges calls and asks the user about the rest. Requests wait side by side; each is answered once. */
export function createGate(deps: GateDeps): ApprovalGate {
  const requests = new WaitingRequests(deps)
  const questions = new CallQuestions(deps)

  /** A call as it is judged now. */
  async function judgedCall({ tool, call }: Pick<GateCall, 'tool' | 'call'>): Promise<JudgedCall> {
    const workspace = deps.workspace()
    const [rules, parts, toolChange] = await Promise.all([
      deps.rules(),
      commandPartsOf(call, workspace),
      deps.toolPins?.changeOf(tool),
    ])
    const sandboxes = await deps.sandboxes?.(parts !== undefined)
    const plan = deps.plan()
    const readOnlyAgent = deps.readOnlyAgent?.()
    return {
      tool,
      call,
      mode: deps.mode(),
      ...(readOnlyAgent !== undefined && { readOnlyAgent }),
      workspace,
      rules,
      ...(parts && { parts }),
      ...(sandboxes && { sandboxes }),
      ...(plan && { plan }),
      ...(toolChange && { toolChange }),
      isRemembered: deps.isRemembered,
      home: deps.home,
      ownOutput: deps.ownOutput,
    }
  }

  const gate: Gate = async (request, signal) => {
    const judged = await judgedCall(request)
    const verdict = verdictOn(judged)
    signal.throwIfAborted()
    if (request.asked) return resumeWaiting(request.asked, request, judged, verdict, signal)
    if (verdict.decision === 'allow') {
      if (verdict.rule) deps.toolPins?.pinFirst(request.tool)
      return { allowed: true, judged: judgementOf(verdict), ...sandboxOf(verdict) }
    }
    if (verdict.decision === 'deny') return denialAnswer(verdict)
    if (!deps.canAsk()) {
      const { asks } = request.call
      if (asks) return unattendedAnswer(request.call, asks)
      const reason = `This needs an approval (${verdict.reason}) and nobody is there to give it.`
      return denialAnswer({ ...verdict, reason })
    }
    return ask(request, judged, verdict, signal)
  }

  /** What asks is asked, whatever allows it. */
  function verdictOn(judged: JudgedCall): Verdict {
    const verdict = judge(deps.policies, judged)
    const { asks } = judged.call
    return asks && verdict.decision !== 'deny' ? { decision: 'ask', reason: asks.reason, everyTime: true } : verdict
  }

  async function ask(
    request: GateCall,
    judged: JudgedCall,
    { reason, everyTime, sandbox }: Verdict,
    signal: AbortSignal,
  ): Promise<GateAnswer> {
    // Nobody is to approve what cannot work.
    const problem = await request.call.check?.()
    if (problem) return { allowed: false, message: textOf(problem.content) }
    const { summary, preview } = await visibleCall(request.call.summary, request.preview, judged.toolChange)
    const { ruleOffers } = await import('./choices/rule-offers')
    signal.throwIfAborted()
    const { asks } = request.call
    await asks?.asking?.()
    signal.throwIfAborted()
    const offers = everyTime ? [] : ruleOffers(deps.policies, asPinned(judged))
    const approval: Approval = {
      approvalId: deps.newId('approval'),
      turnId: request.turnId,
      callId: request.callId,
      tool: request.tool.name,
      summary,
      reason: visibleText(reason),
      ...(!asks && approvalReasons(deps.policies, judged, reason.startsWith(CHANGED) ? CHANGED : undefined)),
      ...(preview && { preview }),
      options: asks?.options ?? (sandbox ? commandOptions(sandbox, offers[0]?.label) : optionsFor(offers[0])),
      ...(asks && { asks: asks.about }),
      requestedAt: deps.now(),
    }
    deps.record({ type: 'approval.requested', approval })
    return requests.add({ approval, request, offers, signal }).answer
  }

  /** A request from before this process began is at the gate again. */
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
    const offers = offered && !verdict.everyTime ? ruleOffers(deps.policies, asPinned(judged)) : []
    const { entry, answer } = requests.add({ approval, request, offers, signal })
    settleByRule(entry, verdict)
    return answer
  }

  async function reply(given: ApprovalAnswer): Promise<void> {
    if (questions.reply(given)) return
    const { approvalId, optionId, feedback, rule } = given
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
      const call = option.kind === 'reject_once' ? undefined : await confirmCall(entry)
      if (granted?.scope === 'user') {
        await deps.keepRules(granted.pattern.split('\n'))
        requests.assertWaiting(entry, RULE_KEPT)
      }
      if (granted) deps.toolPins?.pin(entry.request.tool)
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
        { ...chosen, ...(words && { feedback: words }), ...(granted && { rule: granted }) },
        answer,
      )
      // Before anything that waited for the answer goes on.
      if (stops) deps.stopTurn()
    })
    if (granted) await reconsider()
  }

  /** Hands what the person answered to the call that asked for it. */
  async function answerQuestion(
    entry: Waiting,
    asks: PersonQuestion,
    option: ApprovalOption,
    given: ApprovalAnswer,
  ): Promise<void> {
    const { approvalId: _id, rule: _rule, ...answer } = given
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
   * The call as it is by now, when it still may be made and still does what was shown. Otherwise the request ends with why not, and where
   * the call could still be made it is asked anew.
   */
  async function confirmCall(entry: Waiting): Promise<PreparedCall> {
    const { request, approval, signal } = entry
    const call = await request.prepareAgain()
    requests.assertWaiting(entry)
    if ('refused' in call) throw cancelImpossible(entry, textOf(call.refused.content))
    const again: GateCall = { ...request, call, preview: call.preview ?? (async () => undefined) }
    const judged = await judgedCall(again)
    const verdict = judge(deps.policies, judged)
    const { summary, preview } = await visibleCall(call.summary, again.preview, judged.toolChange)
    const changed = summary !== approval.summary || JSON.stringify(preview) !== JSON.stringify(approval.preview)
    const problem = changed ? await call.check?.() : undefined
    requests.assertWaiting(entry)
    if (verdict.decision === 'deny') {
      settleByRule(entry, verdict)
      throw goneError(`Denied: ${verdict.reason}`)
    }
    if (problem) throw cancelImpossible(entry, textOf(problem.content))
    if (!changed) return call
    const { asked: _before, ...fresh } = again
    requests.end(
      entry,
      'cancelled',
      { reason: CHANGED },
      ask(fresh, judged, { ...verdict, reason: `${CHANGED} ${verdict.reason}` }, signal),
    )
    throw goneError(`${CHANGED} Look at the new request.`)
  }

  /** Ends a request whose call cannot be made any more; the model learns why. */
  function cancelImpossible(entry: Waiting, why: string): CodedError {
    requests.end(entry, 'cancelled', { reason: `It cannot be done any more: ${why}` }, { allowed: false, message: why })
    return goneError(`It cannot be done any more: ${why}`)
  }

  async function choices(approvalId: string): Promise<RuleChoice[]> {
    const entry = await requests.find(approvalId)
    if (entry.offers.length === 0) return []
    const { ruleChoices } = await import('./choices/rule-choices')
    return ruleChoices(deps.policies, entry.offers, asPinned(await judgedCall(entry.request)), await deps.pastCalls())
  }

  async function reconsider(): Promise<void> {
    for (const entry of requests.all()) {
      const verdict = verdictOn(await judgedCall(entry.request))
      if (!entry.answering && requests.has(entry)) settleByRule(entry, verdict)
    }
  }

  /** What a rule allows or denies by now needs no person any more. */
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
    reconsider,
    expect: (asked) => requests.expect(asked),
    withdraw: (asked, reason) => requests.withdraw(asked, reason),
    ask: (...asking) => questions.ask(...asking),
  }
}

/** What a command does, taken apart; undefined for a call that runs none. */
export async function commandPartsOf(call: PreparedCall, workspace: Workspace): Promise<JudgedCall['parts']> {
  const commands = call.accesses.filter((access) => access.kind === 'command')
  if (commands.length === 0) return undefined
  return (await Promise.all(commands.map(({ command, cwd }) => inspectCommand(command, cwd, workspace)))).flat()
}

/** What is granted: exactly one of what was offered; the narrowest, for the session, when nothing is named. */
function grantedRule(
  offers: readonly RuleOffer[],
  rule: ApprovalAnswer['rule'],
): NonNullable<ApprovalAnswer['rule']> | undefined {
  const offer = rule ? offers.find(({ pattern }) => pattern === rule.pattern) : offers[0]
  if (!offer)
    throw new CodedError(
      'request.invalid',
      'rule.pattern: it must be one of the choices of this approval, exactly as given.',
    )
  return { pattern: offer.pattern, scope: rule?.scope ?? 'session' }
}

function sandboxOf({ sandbox }: Verdict): { sandbox?: CommandSandbox } {
  return sandbox ? { sandbox } : {}
}

function optionsFor(narrowest: RuleOffer | undefined): ApprovalOption[] {
  return [
    { optionId: 'allow_once', kind: 'allow_once', name: 'Allow once' },
    ...(narrowest
      ? [
          {
            optionId: 'allow_always',
            kind: 'allow_always' as const,
            name: `Always allow ${visibleLine(narrowest.label)} in this session`,
          },
        ]
      : []),
    ...REJECT_OPTIONS,
  ]
}

function goneError(how: string): CodedError {
  return new CodedError('approval.gone', how)
}
