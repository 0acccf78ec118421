import type { ApprovalOption } from '../../../shared/model/approval'

/** A button of the card. "Always" is one option of the engine and two buttons: where the rule shall hold is asked right away. */
export type CardAction = { key: string; label: string } & (
  | { kind: 'once'; option: ApprovalOption }
  | { kind: 'always'; scope: 'session' | 'user' }
  | { kind: 'reject' }
)

/** The buttons of a card, in the order of its options. */
export function cardActions(options: readonly ApprovalOption[]): CardAction[] {
  return options.flatMap((option): CardAction[] => {
    const key = option.optionId
    switch (option.kind) {
      case 'allow_always':
        return [
          { key: `${key}:session`, label: 'Allow for this session …', kind: 'always', scope: 'session' },
          { key: `${key}:user`, label: 'Allow always …', kind: 'always', scope: 'user' },
        ]
      case 'reject_once':
        return [{ key, label: option.name, kind: 'reject' }]
      default:
        return [{ key, label: option.name, kind: 'once', option }]
    }
  })
}
