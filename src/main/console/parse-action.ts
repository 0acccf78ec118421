import { realpathSync } from 'node:fs'
import { nearest } from '../../shared/nearest'
import { resolveHome } from '../engine/config/home'
import { didYouMean, UsageError, type Parsed } from './parse-command'

/** What may follow an action such as `add` of `trestle provider add`. */
export interface ActionSpec {
  /** The options that go with it, beside `--help`. */
  options: readonly string[]
  words: readonly [least: number, most: number]
  /** What the words are, in a sentence that begins with the action's name. */
  takes: string
  /** It decides for the user, so that no command of an agent may do it. */
  humanOnly?: true
}

/** The action that the first word names, checked with its options and words; throws a `UsageError` of `command`. */
export function parseAction<Name extends string>(
  command: string,
  actions: Readonly<Record<Name, ActionSpec>>,
  { positionals: [first, ...words], values }: Parsed,
): { action: Name; words: string[] } {
  const wrong = (message: string): never => {
    throw new UsageError(message, command)
  }
  const names = Object.keys(actions) as Name[]
  if (first === undefined) return wrong(`Say what to do: ${names.join(', ')}.`)
  const action = names.find((name) => name === first)
  if (action === undefined)
    return wrong(`Unknown "${first}".${didYouMean(nearest(first, names, 1))} There are: ${names.join(', ')}.`)
  const { options, words: range, takes } = actions[action]
  const stray = Object.keys(values).find((name) => name !== 'help' && !options.includes(name))
  if (stray !== undefined) wrong(`--${stray} does not go with ${action}.`)
  if (words.length < range[0] || words.length > range[1]) wrong(`${action} takes ${takes}.`)
  return { action, words }
}

/** Whether this program was started by an agent's command, which may not do `what`; if so, that is said on stderr. */
export async function refuseAgents(what: string): Promise<boolean> {
  const { agentTrace } = await import('../engine/runtime/agent-trace')
  const trace = await agentTrace({ home: realpathSync(resolveHome()) })
  if (trace === undefined) return false
  process.stderr.write(`trestle: ${what} is for people, and ${trace}. Use the app, or a terminal of your own.\n`)
  return true
}
