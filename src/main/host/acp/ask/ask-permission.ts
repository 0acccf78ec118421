import type { PermissionOption } from '@agentclientprotocol/sdk'
import { requestName, type ApprovalOption, type RuleChoice } from '../../../../shared/model/approval'
import { choose, type Answered, type Ask } from './ask'

/** Asks whether a call may run, with what "always" can cover: for this session, and one of them for good. */
export async function askPermission(ask: Ask, choicesOf: () => Promise<RuleChoice[]>): Promise<Answered> {
  const { options } = ask.approval
  const canAlways = options.some(({ kind }) => kind === 'allow_always')
  const choices = canAlways ? await choicesOf() : []
  const rules = new Map<string, { pattern: string; scope: 'session' | 'user' }>()
  const always = choices.map(({ pattern, label }, index): PermissionOption => {
    const optionId = `session-${index + 1}`
    rules.set(optionId, { pattern, scope: 'session' })
    return { optionId, kind: 'allow_always', name: `Always allow ${label} in this session` }
  })
  // What is allowed for good should be worth it: not this very call, where there is something between it and the widest.
  const lasting = choices[1] ?? choices[0]
  if (lasting) {
    rules.set('user', { pattern: lasting.pattern, scope: 'user' })
    always.push({ optionId: 'user', kind: 'allow_always', name: `Always allow ${lasting.label} in every session` })
  }
  const offered = options.flatMap((option): PermissionOption[] => {
    if (option.kind === 'allow_always') return always
    return [{ ...shown(option), ...(option.optionId === 'reject' && { name: 'Reject' }) }]
  })
  const chosen = await choose(ask, offered)
  if (chosen === 'cancelled') return chosen
  const rule = rules.get(chosen)
  return rule ? { optionId: options.find(({ kind }) => kind === 'allow_always')!.optionId, rule } : { optionId: chosen }
}

/** Asks whether a command gets what its sandbox refused, with the options as they are: none of them is a rule to choose. */
export async function askSandbox(ask: Ask): Promise<Answered> {
  const { asks, options } = ask.approval
  const chosen = await choose(ask, options.map(shown), { title: `${requestName({ asks, tool: '' })}: ${ask.approval.summary}` })
  return chosen === 'cancelled' ? chosen : { optionId: chosen }
}

/** What the protocol has of an option. */
function shown({ optionId, kind, name }: ApprovalOption): PermissionOption {
  return { optionId, kind, name }
}
