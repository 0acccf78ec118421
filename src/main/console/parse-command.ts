import { parseArgs, type ParseArgsConfig } from 'node:util'
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { nearest } from '../../shared/nearest'
import type { AgentChoice } from '../../shared/model/session/agent'

/** Wrong usage: the problem and a likely correction. Hosts print it to stderr and exit with 2. */
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
  /** Placeholder of the value in the help text, e.g. `DIR`. */
  value?: string
  help: string
  /** The allowed values. */
  choices?: readonly string[]
  multiple?: boolean
}

export interface CommandSpec {
  /** On one line. */
  summary: string
  /** The allowed values of the first positional when it is an action. */
  actions?: readonly string[]
  /** The arguments after the command, e.g. `["prompt"]`. */
  positionals?: {
    name: string
    help: string
    max: number
    /** Name of the last one when it is free text, which users easily forget to quote. */
    text?: string
  }
  options: Record<string, OptionSpec>
  /** Complete commands, the most common first. */
  examples: readonly string[]
  /** Meaning of the exit codes, with a link to the documentation. */
  exitCodes?: string
}

export interface Parsed {
  values: Record<string, string | boolean | (string | boolean)[] | undefined>
  positionals: string[]
  /** Whether the arguments contained `--`. */
  hasSeparator: boolean
}

/** Parses the arguments of a command; a `UsageError` names the wrong one and suggests a correction. */
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
    const option = Object.hasOwn(spec.options, token.name) ? spec.options[token.name] : undefined
    if (!option) {
      const text = tokens.some(({ kind, index }) => kind === 'positional' && index < token.index)
        ? spec.positionals?.text
        : undefined
      // For single letters a suggestion is meaningless.
      const known = token.rawName.startsWith('--') ? Object.keys(spec.options).map((long) => `--${long}`) : []
      const meant = nearest(token.rawName, known)
      if (text !== undefined && meant.length === 0)
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
    // An unset shell variable leaves an empty value; falling back to a default could run in the wrong folder.
    if (token.value === '')
      fail(`${token.rawName} needs a value and got an empty one: ${token.rawName} ${option.value ?? 'VALUE'}.`)
    if (option.choices && token.value !== undefined && !option.choices.includes(unhide(token.value))) {
      fail(
        `${token.rawName} takes one of ${option.choices.join(', ')}; ` +
          `not "${unhide(token.value)}".${didYouMean(nearest(token.value, option.choices, 1))}`,
      )
    }
  }
  const parsed = parseArgs({ args: words, options, strict: false, allowPositionals: true })
  const positionals = parsed.positionals.map(unhide)
  const values = Object.fromEntries(
    Object.entries(parsed.values).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(unhide) : value && unhide(value),
    ]),
  )
  const max = spec.positionals?.max ?? 0
  if (positionals.length > max) {
    const extra = positionals[max]!
    fail(
      max === 0
        ? `Unexpected "${extra}".`
        : `Unexpected "${extra}". ` +
            `Put ${spec.positionals!.text ? `the whole ${spec.positionals!.text}` : 'words that belong together'} ` +
            'in quotes.',
    )
  }
  return { values, positionals, hasSeparator: tokens.some(({ kind }) => kind === 'option-terminator') }
}

/** Prefix of a negative number, so that it does not parse as short options; no program argument can contain it. */
const NEGATIVE = '\0'

function hideNegatives(args: readonly string[]): string[] {
  return args.map((word) => (/^-\.?\d[\d.]*(?:e[+-]?\d+)?$/i.test(word) ? NEGATIVE + word : word))
}

function unhide<Value extends string | boolean>(value: Value): Value {
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
    help: 'The agent to use; see trestle agent list (default: Trestle).',
  },
  'agent-file': { type: 'string', value: 'FILE', help: 'Use the agent defined in this file.' },
}

/** Whether `--no-project` is given; throws a `UsageError` if an option also names a project or a session. */
export function noProjectOption({ values }: Parsed, command: string): boolean {
  if (values['no-project'] !== true) return false
  const other = ['cwd', 'continue', 'session'].find((name) => values[name] !== undefined)
  if (other !== undefined) throw new UsageError(`--no-project and --${other} cannot be combined.`, command)
  return true
}

/** The agent that `--agent` or `--agent-file` selects, the file as an absolute path; throws a `UsageError`. */
export function agentOption({ values }: Parsed, command: string): AgentChoice | undefined {
  const { agent: name, 'agent-file': file } = values
  if (typeof name === 'string' && typeof file === 'string')
    throw new UsageError('--agent and --agent-file cannot be combined.', command)
  if (typeof name === 'string') return { name }
  if (typeof file !== 'string') return undefined
  const absolute = resolve(file)
  const stats = statSync(absolute, { throwIfNoEntry: false })
  if (!stats) throw new UsageError(`--agent-file: there is no file ${absolute}.`, command)
  if (!stats.isFile()) throw new UsageError(`--agent-file: ${absolute} is not a file.`, command)
  return { file: absolute }
}
