import type { MatchedRule, RuleTest, TestedPart, TestedTool } from '../../../shared/configuration/rules'
import type { PermissionRule } from '../permission/permission-rule'
import type { Access, ToolAnnotations } from '../tool/tool'
import { judgedCommand, judgedTool, type CheckContext } from './check-command'
import { POLICIES } from './policies'
import { decided, judge, strictest } from './policies/judge'
import { policyName } from './policies/policy-names'
import { matchingRules } from './rules/match-rules'
import type { JudgedCall } from './rules/policy'

/** What is tested: a command line, or a tool with the path or address that it is given. */
export type TestedCall = { command: string } | { tool: TestedTool; target: string }

const READS: ToolAnnotations = { readOnly: true, destructive: false, idempotent: true, openWorld: false }
const WRITES: ToolAnnotations = { readOnly: false, destructive: true, idempotent: true, openWorld: false }
const FETCHES: ToolAnnotations = { readOnly: true, destructive: false, idempotent: true, openWorld: true }
const TREES: readonly TestedTool[] = ['ListDirectory', 'Glob', 'Grep']
const EDITS: readonly TestedTool[] = ['Write', 'Edit']

/**
 * What a turn's gate would decide about a call, and why, part by part: the same policies in the same order. Free of
 * effects; nothing is run, fetched or written.
 */
export async function explainCall(asked: TestedCall, context: CheckContext): Promise<RuleTest> {
  const judged = 'command' in asked ? await judgedCommand(asked.command, context) : await judgedTarget(asked, context)
  const parts = (judged.parts ?? [undefined]).map((part) => explained(part ? { ...judged, part } : judged))
  const verdict = judge(POLICIES, judged)
  const [only] = parts
  // Afterwards, the sandbox has a say.
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
