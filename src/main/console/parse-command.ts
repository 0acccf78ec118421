import { parseArgs, type ParseArgsConfig } from 'node:util'
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { nearest } from '../../shared/nearest'
import type { AgentChoice } from '../../shared/model/agent'

/** Wrong usage: what is wrong and what was probably meant. Hosts print it to stderr and exit with 2. */
export class UsageError extends Error {
  readonly command: string | undefined

  constructor(message: string, command?: string) {
    super(message)
    this.name = 'UsageError'
    this.command = command
  }
}

export interface OptionSpec {
  type: 'string' | 'boolean'
  short?: string
  /** What stands for the value in the help text, e.g. `DIR`. */
  value?: string
  help: string
  /** The only values it takes. */
  choices?: readonly string[]
  multiple?: boolean
}

export interface CommandSpec {
  /** One line. */
  summary: string
  /** The words the first positional can be, where it says what to do. */
  actions?: readonly string[]
  /** What comes after the command, e.g. `["prompt"]`. */
  positionals?: {
    name: string
    help: string
    max: number
    /** What the last of them is where it is a text, which one easily forgets to quote. */
    text?: string
  }
  options: Record<string, OptionSpec>
  /** Whole commands, the usual ones first. */
  examples: readonly string[]
  /** What its exit codes mean, and where more is said. */
  exitCodes?: string
}

export interface Parsed {
  values: Record<string, string | boolean | (string | boolean)[] | undefined>
  positionals: string[]
  /** Whether `--` stood among the words. */
  hasSeparator: boolean
}

/** Parses the words after a command; a `UsageError` says which word is wrong and what was meant. */
export function parseCommand(name: string, spec: CommandSpec, args: readonly string[]): Parsed {
  const options = Object.fromEntries(
    Object.entries(spec.options).map(([option, { type, short, multiple }]) => [
      option,
      { type, ...(short && { short }), ...(multiple && { multiple }) },
    ]),
  ) satisfies ParseArgsConfig['options']
  const words = hideNegatives(args)
  const { tokens } = parseArgs({ args: words, options, strict: false, allowPositionals: true, tokens: true })
  const fail = (message: string): never => {
    throw new UsageError(message, name)
  }
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const option = spec.options[token.name]
    if (!option) {
      const known = Object.entries(spec.options).flatMap(([long, { short }]) =>
        token.rawName.startsWith('--') ? [`--${long}`] : short ? [`-${short}`] : [],
      )
      const text = tokens.some(({ kind, index }) => kind === 'positional' && index < token.index)
        ? spec.positionals?.text
        : undefined
      const meant = nearest(token.rawName, known)
      // Any letter is like another one.
      if (text !== undefined && (meant.length === 0 || !token.rawName.startsWith('--')))
        return fail(`Unknown option ${token.rawName}. If it belongs to the ${text}, put the whole ${text} in quotes.`)
      return fail(`Unknown option ${token.rawName}.${didYouMean(meant)}`)
    }
    if (option.type === 'boolean' && token.value !== undefined) fail(`${token.rawName} takes no value.`)
    if (
      option.type === 'string' &&
      (token.value === undefined || (!token.inlineValue && /^--?[a-z]/i.test(token.value)))
    ) {
      fail(`${token.rawName} needs a value: ${token.rawName} ${option.value ?? 'VALUE'}.`)
    }
    // A shell leaves this behind where a variable is not set; going on with a default could work in the wrong place.
    if (token.value === '')
      fail(`${token.rawName} needs a value and got an empty one: ${token.rawName} ${option.value ?? 'VALUE'}.`)
    if (option.choices && token.value !== undefined && !option.choices.includes(shown(token.value))) {
      fail(
        `${token.rawName} takes one of ${option.choices.join(', ')}; not "${shown(token.value)}".${didYouMean(nearest(token.value, option.choices, 1))}`,
      )
    }
  }
  const parsed = parseArgs({ args: words, options, strict: false, allowPositionals: true })
  const positionals = parsed.positionals.map(shown)
  const values = Object.fromEntries(
    Object.entries(parsed.values).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(shown) : value && shown(value),
    ]),
  )
  const max = spec.positionals?.max ?? 0
  if (positionals.length > max) {
    const extra = positionals[max]!
    fail(
      max === 0
        ? `Unexpected "${extra}".`
        : `Unexpected "${extra}" after the ${spec.positionals!.name}; put it in quotes if it belongs to it.`,
    )
  }
  return { values, positionals, hasSeparator: tokens.some(({ kind }) => kind === 'option-terminator') }
}

/** Stands before a negative number, so that it is not taken for options of one letter; no argument of a program can have it. */
const NEGATIVE = '\0'

function hideNegatives(args: readonly string[]): string[] {
  return args.map((word) => (/^-\.?\d[\d.]*(?:e[+-]?\d+)?$/i.test(word) ? NEGATIVE + word : word))
}

function shown<Value extends string | boolean>(value: Value): Value {
  return (typeof value === 'string' && value.startsWith(NEGATIVE) ? value.slice(NEGATIVE.length) : value) as Value
}

export function didYouMean(names: readonly string[]): string {
  return names.length === 0 ? '' : ` Did you mean ${names.join(' or ')}?`
}

/** The options that choose the agent of a session. */
export const AGENT_OPTIONS: Record<string, OptionSpec> = {
  agent: {
    type: 'string',
    value: 'NAME',
    help: 'The agent to work as; trestle agent list names those there are (default: the usual one).',
  },
  'agent-file': { type: 'string', value: 'FILE', help: 'The agent that this file defines.' },
}

/** What `--agent` or `--agent-file` chose, the file with its absolute path; throws a `UsageError`. */
export function agentOption({ values }: Parsed, command: string): AgentChoice | undefined {
  const { agent: name, 'agent-file': file } = values
  if (typeof name === 'string' && typeof file === 'string')
    throw new UsageError('--agent and --agent-file exclude each other.', command)
  if (typeof name === 'string') return { name }
  if (typeof file !== 'string') return undefined
  const absolute = resolve(file)
  const stats = statSync(absolute, { throwIfNoEntry: false })
  if (!stats) throw new UsageError(`--agent-file: there is no file ${absolute}.`, command)
  if (!stats.isFile()) throw new UsageError(`--agent-file: ${absolute} is not a file.`, command)
  return { file: absolute }
}
