import { fixedKeys, type ApprovalOption } from '../../../shared/model/approval'

/**
 * The keys of a card's options, by their ids. What rejects has always the same one; the others count from 1 in the order that is shown.
 * Leaving the sandbox, where something else is offered before it, has no key, and what is dangerous is never allowed with one.
 */
export function optionKeys(options: readonly ApprovalOption[], danger = false): ReadonlyMap<string, string> {
  const keys = fixedKeys(options)
  const allowing = options.filter((option, index) => option.kind !== 'reject_once' && !leavesSandbox(option, index))
  if (!danger) allowing.slice(0, 8).forEach(({ optionId }, index) => keys.set(optionId, String(index + 1)))
  return keys
}

/** Running without the sandbox that is offered before it. */
export function leavesSandbox({ kind, sandbox }: ApprovalOption, index: number): boolean {
  return kind !== 'reject_once' && index > 0 && sandbox === 'unrestricted'
}
