import { CodedError } from '../../../shared/errors'
import { REJECT_OPTIONS, type ApprovalOption } from '../../../shared/model/approval'
import { visibleLine } from '../../../shared/visible-text'
import type { RuleOffer } from './choices/rule-offers'
import type { ApprovalAnswer } from './waiting-requests'

/** The granted rule: exactly one of the offers, or the narrowest one for the session when no rule is named. */
export function grantedRule(
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

/** The options on the approval card of a call other than a command; "Allow always" only with an offer. */
export function optionsFor(narrowest: RuleOffer | undefined): ApprovalOption[] {
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
