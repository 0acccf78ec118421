import { REJECT_STOP, type ApprovalOption } from '../../../shared/model/approval'
import { optionKeys } from './option-keys'

/** A button of the card. "Always" is one option of the engine and two buttons: where the rule shall hold is asked right away. */
export type CardAction = { key: string; label: string; /** The key that does the same. */ kbd?: string } & (
  | { kind: 'once'; option: ApprovalOption }
  | { kind: 'always'; scope: 'session' | 'user' }
  | { kind: 'reject' }
  | { kind: 'stop'; option: ApprovalOption }
)

/** The buttons of a card, in the order of its options; where there is danger the safe answer comes first. */
export function cardActions(options: readonly ApprovalOption[], danger = false): CardAction[] {
  const keys = optionKeys(options, danger)
  const actions = options.flatMap((option): CardAction[] => {
    const key = option.optionId
    const own = keys.get(key)
    const kbd = own !== undefined && { kbd: own }
    switch (option.kind) {
      case 'allow_always':
        return [
          { key: `${key}:session`, label: 'Allow for this session…', kind: 'always', scope: 'session', ...kbd },
          {
            key: `${key}:user`,
            label: 'Allow always…',
            kind: 'always',
            scope: 'user',
            ...(own !== undefined && { kbd: String(Number(own) + 1) }),
          },
        ]
      case 'reject_once':
        if (key === REJECT_STOP) return [{ key, label: option.name, kind: 'stop', option }]
        return [{ key, label: option.name, kind: 'reject', ...kbd }]
      default:
        return [{ key, label: option.name, kind: 'once', option, ...kbd }]
    }
  })
  if (!danger) return actions
  return [...actions.filter(({ kind }) => kind === 'reject'), ...actions.filter(({ kind }) => kind !== 'reject')]
}
