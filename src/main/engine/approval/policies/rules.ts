import { type Policy, writesOutside } from '../rules/policy'
import { restrictingRule, allowingRule, namingRule, restrictsCommands } from '../rules/match-rules'
import { describeRule } from '../../permission/permission-rule'

/**
 * A deny rule wins over everything that allows. When it is known only at run time whether the rule matches, the user is
 * asked.
 */
export const denyRules: Policy = (judged) => {
  const caught = restrictingRule(judged, 'deny')
  if (!caught) return undefined
  const { rule, match } = caught
  if (match === 'yes') return { decision: 'deny', reason: `${capital(describeRule(rule))} forbids it.`, rule }
  return {
    decision: 'ask',
    reason: `It may be what ${describeRule(rule)} forbids: that is only known when it runs.`,
    rule,
    everyTime: true,
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** An ask rule asks even when another rule or the mode would allow the call. So does a broken rule that may match. */
export const askRules: Policy = (judged) => {
  const broken = judged.rules.find((rule) => rule.mistake !== undefined)
  if (broken) {
    return {
      decision: 'ask',
      reason: `${broken.file}:${broken.line ?? 1} contains a permission rule that cannot be read (${broken.mistake}).`,
      rule: broken,
      everyTime: true,
    }
  }
  const caught = restrictingRule(judged, 'ask')
  return (
    caught && {
      decision: 'ask',
      reason: `It is asked because of ${describeRule(caught.rule)}.`,
      rule: caught.rule,
      everyTime: true,
    }
  )
}

/**
 * What a rule allows needs no approval, in any scope: a project's rules are present only when the user trusts its
 * folder. A rule for commands covers their words; files that they write outside the project are covered only when the
 * rule names the path.
 */
export const allowRules: Policy = (judged) => {
  const rule = allowingRule(judged)
  if (!rule) return undefined
  const { part } = judged
  const outside = part?.kind === 'run' ? writesOutside(part).find((path) => !namingRule(judged, path)) : undefined
  // Without a rule that names the path, the mode decides.
  return outside ? undefined : { decision: 'allow', reason: `Allowed by ${describeRule(rule)}.`, rule }
}

/**
 * Hidden code asks; an allow rule covers it only when it names the word that hides it. In `auto` mode it asks only
 * where it could get around a rule.
 */
export const hiddenCommands: Policy = (judged) => {
  const { part, mode, rules } = judged
  if (!part?.hidden) return undefined
  if (mode === 'auto' && !rules.some(restrictsCommands)) return undefined
  const { reason, word } = part.hidden
  if (word !== '' && allowingRule(judged, word)) return undefined
  return { decision: 'ask', reason: `Not all that runs can be seen: ${reason}.` }
}

/** The user allowed exactly this, or a folder that contains it, for the session. */
export const rememberedForSession: Policy = ({ call, isRemembered }) => {
  const { rememberAs } = call
  if (!rememberAs) return undefined
  const keys = [rememberAs.key, ...(rememberAs.coveredBy ?? [])]
  return keys.some(isRemembered) ? { decision: 'allow', reason: 'You allowed this for the session.' } : undefined
}

/**
 * A server's tool that changed since it was allowed asks again, even if something allows it: the user allowed only what
 * was shown at the time. So does the tool of a project's server that has the name of another one.
 */
export const changedServerTools: Policy = ({ tool, toolChange }) => {
  if (!toolChange || !tool.server) return undefined
  const { name, tool: called } = tool.server
  return {
    decision: 'ask',
    reason: toolChange.isOtherServer
      ? `You allowed ${called} of another server called ${name}; this is the server of this project.`
      : `The server ${name} has changed ${called} since you allowed it.`,
  }
}
