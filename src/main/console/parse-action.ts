import { realpathSync } from 'node:fs'
import { nearest } from '../../shared/nearest'
import { resolveHome } from '../engine/config/home'
import { didYouMean, UsageError, type Parsed } from './parse-command'

/** Options and arguments of an action such as `add` of `trestle provider add`. */
export interface ActionSpec {
  /** The options it takes, besides `--help`. */
  options: readonly string[]
  words: readonly [min: number, max: number]
  /** Describes the arguments; completes the sentence "ACTION takes …". */
  takes: string
  /** It decides for the user, so an agent's commands may not run it. */
  humanOnly?: true
}

/** Parses the action and checks its options and arguments; throws a `UsageError` of `command`. */
export function parseAction<Name extends string>(
  command: string,
  actions: Readonly<Record<Name, ActionSpec>>,
  { positionals: [first, ...words], values }: Parsed,
): { action: Name; words: string[] } {
  const wrong = (message: string): never => {
    throw new UsageError(message, command)
  }
  const names = Object.keys(actions) as Name[]
  if (first === undefined) return wrong(`Specify an action: ${names.join(', ')}.`)
  const action = names.find((name) => name === first)
  if (action === undefined)
    return wrong(`Unknown "${first}".${didYouMean(nearest(first, names, 1))} There are: ${names.join(', ')}.`)
  const { options, words: range, takes } = actions[action]
  const stray = Object.keys(values).find((name) => name !== 'help' && !options.includes(name))
  if (stray !== undefined) wrong(`--${stray} cannot be used with ${action}.`)
  if (words.length < range[0] || words.length > range[1]) wrong(`${action} takes ${takes}.`)
  return { action, words }
}

/** Whether an agent's command started this program and therefore may not do `what`; if so, prints that to stderr. */
export async function refuseAgents(what: string): Promise<boolean> {
  const { agentTrace } = await import('../engine/runtime/agent-trace')
  const trace = await agentTrace({ home: realpathSync(resolveHome()) })
  if (trace === undefined) return false
  process.stderr.write(`trestle: ${what} is for users only, and ${trace}. Use the app or your own terminal.\n`)
  return true
}
