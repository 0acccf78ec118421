import { toolLabel } from '../../../../shared/tool-label'
import { judge, judgeParts } from '../policies/judge'
import type { JudgedCall, Policy } from '../rules/policy'
import { parsePattern, sessionRules } from '../../permission/permission-rule'
import { commandScopes, fileScopes, redirectionScopes, type RuleScope } from './scope-options'

/** What "always" can cover: rules, one per line, exactly as they are written when chosen. */
export interface RuleOffer {
  pattern: string
  /** What they cover, to follow "allow". */
  label: string
}

const MAX_OFFERS = 3
const MAX_RULES = 6

/**
 * Two or three generalizations of a call that asks, narrowest first; empty when no rule could allow it. Each is tried
 * on the call before it is offered, by the policies that will judge the next call.
 */
export function ruleOffers(policies: readonly Policy[], judged: JudgedCall): RuleOffer[] {
  const offers: RuleOffer[] = []
  for (const { patterns, label } of scopeOptions(policies, judged)) {
    const needed = judged.parts ? withoutRedundant(policies, judged, patterns) : patterns
    const pattern = needed.join('\n')
    if (needed.length === 0 || needed.length > MAX_RULES || offers.some((offer) => offer.pattern === pattern)) continue
    if (needed.every(isPattern) && grants(policies, judged, needed)) offers.push({ pattern, label })
  }
  return offers.slice(0, MAX_OFFERS)
}

function scopeOptions(policies: readonly Policy[], judged: JudgedCall): RuleScope[] {
  const { tool, call, parts, workspace } = judged
  if (parts) return combineScopes(partScopes(policies, judged))
  const files = call.accesses.filter((access) => access.kind === 'file' || access.kind === 'tree')
  if (files.length > 0 && files.length === call.accesses.length) return fileScopes(tool.name, files, workspace)
  const host =
    tool.name === 'FetchURL'
      ? call.accesses.flatMap((access) =>
          access.kind === 'network' && access.url !== undefined ? [new URL(access.url).host] : [],
        )[0]
      : undefined
  const server = /^(mcp__.+?__)./.exec(tool.name)?.[1]
  return [
    ...(host === undefined ? [] : [{ patterns: [`FetchURL(${host})`], label: `pages of ${host}` }]),
    { patterns: [tool.name], label: `every call of ${toolLabel(tool.name)}` },
    ...(server === undefined
      ? []
      : [{ patterns: [`${server}*`], label: `every tool of the server ${server.slice(5, -2)}` }]),
  ]
}

/** The generalizations of every part that asks; empty when one part has no generalization. */
function partScopes(policies: readonly Policy[], judged: JudgedCall): RuleScope[][] {
  const asked = judgeParts(policies, judged).filter(({ verdict }) => verdict.decision === 'ask')
  const ladders = asked.map(({ part }) =>
    part.kind === 'redirection' ? redirectionScopes(part, judged.workspace) : commandScopes(part),
  )
  return ladders.every((ladder) => ladder.length > 0) ? ladders : []
}

/** Combines lists of scopes: the first scopes of all, then the second ones. A shorter list repeats its last scope. */
function combineScopes(ladders: readonly RuleScope[][]): RuleScope[] {
  const height = Math.max(0, ...ladders.map((ladder) => ladder.length))
  return Array.from({ length: height }, (_, at) => {
    const level = ladders.flatMap((ladder) => ladder[at] ?? ladder.at(-1) ?? [])
    return {
      patterns: [...new Set(level.flatMap((rung) => rung.patterns))],
      label: [...new Set(level.map((rung) => rung.label))].join(' and '),
    }
  })
}

/** Drops rules that others cover: a rule for `sudo apt` makes one for `apt` unnecessary. */
function withoutRedundant(policies: readonly Policy[], judged: JudgedCall, patterns: readonly string[]): string[] {
  let needed = [...patterns]
  for (const pattern of patterns.toReversed()) {
    const others = needed.filter((other) => other !== pattern)
    if (others.length > 0 && grants(policies, judged, others)) needed = others
  }
  return needed
}

function grants(policies: readonly Policy[], judged: JudgedCall, patterns: readonly string[]): boolean {
  return judge(policies, { ...judged, rules: [...judged.rules, ...sessionRules(patterns)] }).decision === 'allow'
}

function isPattern(text: string): boolean {
  return !('mistake' in parsePattern(text)) && !text.includes('\n')
}
