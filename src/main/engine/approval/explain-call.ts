import type { MatchedRule, RuleTest, TestedPart, TestedTool } from '../../../shared/configuration/customize/rules'
import type { PermissionRule } from '../permission/permission-rule'
import type { Access, ToolAnnotations } from '../tool/tool'
import { judgedCommand, judgedTool, type CheckContext } from './check-command'
import { POLICIES } from './policies/index'
import { decided, judge, strictest } from './policies/judge'
import { matchingRules } from './rules/match-rules'
import type { JudgedCall, Policy } from './rules/policy'
import { afterMail, changingMail, savingAttachments, sendingMail } from './policies/after-mail'
import {
  askAlways,
  notifyFreely,
  dangerous,
  outsideWorkspace,
  sensitiveReads,
  sensitiveRedirection,
  trestleHome,
  webAddresses,
  rememberFreely,
  rememberThirdParty,
  scheduleThirdParty,
} from './policies/boundaries'
import {
  acceptEdits,
  askByDefault,
  autoMode,
  claimedReads,
  destructiveServerTools,
  planMode,
  readOnlyAgent,
  readOnlyCommands,
  readOnlyTools,
} from './policies/modes'
import {
  allowRules,
  askRules,
  changedServerTools,
  denyRules,
  hiddenCommands,
  rememberedForSession,
} from './policies/rules'

/** What is tested: a command line, or a tool with a path or address. */
export type TestedCall = { command: string } | { tool: TestedTool; target: string }

const READS: ToolAnnotations = { readOnly: true, destructive: false, idempotent: true, openWorld: false }
const WRITES: ToolAnnotations = { readOnly: false, destructive: true, idempotent: true, openWorld: false }
const FETCHES: ToolAnnotations = { readOnly: true, destructive: false, idempotent: true, openWorld: true }
const TREES: readonly TestedTool[] = ['ListDirectory', 'Glob', 'Grep']
const EDITS: readonly TestedTool[] = ['Write', 'Edit']

/**
 * What a turn's gate would decide about a call, and why, part by part, using the same policies in the same order. Has
 * no effects: nothing is run, fetched or written.
 */
export async function explainCall(asked: TestedCall, context: CheckContext): Promise<RuleTest> {
  const judged = 'command' in asked ? await judgedCommand(asked.command, context) : await judgedTarget(asked, context)
  const parts = (judged.parts ?? [undefined]).map((part) => explained(part ? { ...judged, part } : judged))
  const verdict = judge(POLICIES, judged)
  const [only] = parts
  // The sandbox can still change the verdict afterward.
  const byParts = judged.parts && strictest(parts.map(({ part, verdict: own }) => ({ part: part!, verdict: own })))
  const deciding = parts.find(({ verdict: own }) => own.decision === verdict.decision && own.rule === verdict.rule)
  const decidedBy =
    byParts && byParts.decision !== verdict.decision
      ? 'the sandbox'
      : (deciding?.shown.decidedBy ?? only?.shown.decidedBy ?? 'the check for hidden commands')
  return {
    verdict: verdict.decision,
    reason: verdict.reason,
    decidedBy,
    mode: context.mode,
    ...(verdict.sandbox && verdict.decision !== 'deny' && { sandbox: verdict.sandbox }),
    ...(verdict.rule && { rule: shownRule(verdict.rule) }),
    parts: parts.map(({ shown }) => shown),
  }
}

function explained(judged: JudgedCall) {
  const { verdict, policy } = decided(POLICIES, judged)
  const shown: TestedPart = {
    text: judged.part?.source ?? judged.call.summary,
    verdict: verdict.decision,
    reason: verdict.reason,
    decidedBy: policyName(policy),
    ...(verdict.rule && { rule: shownRule(verdict.rule) }),
    otherRules: matchingRules(judged)
      .filter((rule) => rule !== verdict.rule)
      .map(shownRule),
  }
  return { part: judged.part, verdict, shown }
}

async function judgedTarget(
  { tool, target }: { tool: TestedTool; target: string },
  context: CheckContext,
): Promise<JudgedCall> {
  if (tool === 'FetchURL') {
    const { hostname, href } = new URL(target)
    const accesses: Access[] = [{ kind: 'network', host: hostname, url: href }]
    return judgedTool({ name: tool, annotations: FETCHES }, { summary: href, accesses }, context)
  }
  const write = EDITS.includes(tool)
  const judged = judgedTool(
    { name: tool, annotations: write ? WRITES : READS },
    { summary: target, accesses: [] },
    context,
  )
  const { path, realPath } = await judged.workspace.resolve(target)
  const kind = TREES.includes(tool) ? ('tree' as const) : ('file' as const)
  return { ...judged, call: { ...judged.call, accesses: [{ kind, path: realPath, written: path, write }] } }
}

function shownRule({ decision, pattern, scope, file, line }: PermissionRule): MatchedRule {
  return { decision, pattern, scope, file, ...(line !== undefined && { line }) }
}

/** The name of the policy that decided, shown after "Decided by". */
const NAMES = new Map<Policy, string>([
  [readOnlyAgent, 'the read-only agent'],
  [denyRules, 'a deny rule'],
  [planMode, 'plan mode'],
  [trestleHome, "the protection of Trestle's own files"],
  [sensitiveRedirection, 'the protection of sensitive files'],
  [dangerous, 'the check for dangerous actions'],
  [sensitiveReads, 'the protection of sensitive files'],
  [sendingMail, 'the mail check'],
  [savingAttachments, 'the mail check'],
  [afterMail, 'the mail check'],
  [changingMail, 'the mail check'],
  [rememberThirdParty, 'the memory check'],
  [rememberFreely, 'the memory check'],
  [scheduleThirdParty, 'the schedule check'],
  [askAlways, 'the list of tools that always ask'],
  [askRules, 'an ask rule'],
  [changedServerTools, 'the check for changed tools of a server'],
  [claimedReads, 'the check for tools of servers'],
  [rememberedForSession, 'what you allowed for the session'],
  [hiddenCommands, 'the check for hidden commands'],
  [allowRules, 'an allow rule'],
  [outsideWorkspace, 'the boundary of the project folder'],
  [webAddresses, 'the check of web addresses'],
  [readOnlyTools, 'the list of tools that only read'],
  [notifyFreely, 'the list of tools that only tell you something'],
  [readOnlyCommands, 'the list of commands that only read'],
  [acceptEdits, 'the permission mode Accept edits'],
  [destructiveServerTools, 'the check for tools of servers'],
  [autoMode, 'the permission mode Auto'],
  [askByDefault, 'the permission mode'],
])

/** The name of a policy. Without a policy, the time limit decided. */
export function policyName(policy: Policy | undefined): string {
  return (policy && NAMES.get(policy)) ?? 'the time limit for checks'
}
