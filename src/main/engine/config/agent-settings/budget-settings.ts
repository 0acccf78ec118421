import { LIMIT_SCOPES } from '../../../../shared/model/turn/usage'
import { custom, settingTable, type Setting, type ValuesOf } from '../toml/setting-table'

const MAX_DOLLARS = 1_000_000
const MAX_TOKENS = 1_000_000_000_000

/** `[budget]`: spending limits; beyond them, the user is asked. */
export const BUDGET = settingTable('budget', {
  session: dollars('session', 'dollars that a session with its subagents may cost before you are asked'),
  day: dollars('day', 'dollars that all sessions of a day may cost before you are asked'),
  project: dollars('project', 'dollars that a project may cost in a calendar month before you are asked'),
  sessionTokens: tokens('session_tokens', 'the same as a number of tokens, for models whose price is unknown'),
  dayTokens: tokens('day_tokens', 'tokens of a day'),
  projectTokens: tokens('project_tokens', 'tokens of a project in a calendar month'),
})
export type BudgetSettings = ValuesOf<typeof BUDGET.fields>

function dollars(key: string, about: string): Setting<number | undefined> {
  return custom<number | undefined>(
    key,
    undefined,
    about,
    (reader) => reader.number(key, { min: 0.01, max: MAX_DOLLARS, whole: false }),
    'no limit',
  )
}

function tokens(key: string, about: string): Setting<number | undefined> {
  return custom<number | undefined>(
    key,
    undefined,
    about,
    (reader) => reader.number(key, { min: 1000, max: MAX_TOKENS }),
    'no limit',
  )
}

/** The configured limits, in the order in which they are checked. */
export function limitsOf(budget: BudgetSettings) {
  return LIMIT_SCOPES.flatMap((scope) => {
    const [cost, count] = [budget[scope], budget[`${scope}Tokens`]]
    return [
      ...(cost === undefined ? [] : [{ scope, unit: 'dollars' as const, limit: cost }]),
      ...(count === undefined ? [] : [{ scope, unit: 'tokens' as const, limit: count }]),
    ]
  })
}
