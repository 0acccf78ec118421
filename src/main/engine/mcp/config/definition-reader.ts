import type { McpOAuth } from '../../../../shared/configuration/customize/mcp'
import { nearest } from '../../../../shared/nearest'
import { isRecord } from '../../../../shared/json-fields'

/** What is wrong with a part of a definition. `fatal`: it makes the server unusable. */
export interface DefinitionProblem {
  path: readonly (string | number)[]
  message: string
  fatal: boolean
}

const OAUTH_TEXTS = ['clientId', 'clientSecret', 'redirectUrl', 'clientMetadataUrl'] as const
const MAX_TIMEOUT_MS = 24 * 60 * 60 * 1000
/** Keys of other products, or for human readers; ignoring them loses nothing. */
const IGNORED_FIELDS = [
  'name',
  'title',
  'description',
  'icon',
  'version',
  'gallery',
  '$schema',
  'auth',
  'comment',
  '_comment',
]
/** Permission keys of other products: the user's own rules decide instead. */
const PERMISSION_FIELDS = ['alwaysAllow', 'autoApprove', 'trust', 'autoApproveTools', 'default_tools_approval_mode']
const KNOWN = (
  'type command args env cwd sandbox url headers bearerTokenEnvVar oauth ' +
  'enabled timeout startupTimeoutMs toolTimeoutMs enabledTools disabledTools'
).split(' ')

/** Reads typed values from one server's definition. No message quotes a value: it could be a secret. */
export class DefinitionReader {
  readonly #raw: Readonly<Record<string, unknown>>
  readonly #problems: DefinitionProblem[]
  readonly #seen = new Set<string>(['type', 'transport'])

  constructor(raw: Readonly<Record<string, unknown>>, problems: DefinitionProblem[]) {
    this.#raw = raw
    this.#problems = problems
  }

  fatal(path: readonly (string | number)[], message: string): undefined {
    this.#problems.push({ path, message, fatal: true })
    return undefined
  }

  text(key: string): string | undefined {
    const value = this.#take(key)
    if (value === undefined || value === null || value === '') return undefined
    return typeof value === 'string' && value.trim() !== '' ? value : this.fatal([key], 'must be a text in quotes.')
  }

  flag(key: string): boolean | undefined {
    const value = this.#take(key)
    if (value === undefined || typeof value === 'boolean') return value
    // The key was meant to turn something on or off; assuming "on" would be wrong.
    return this.fatal([key], 'must be true or false.')
  }

  duration(key: string): number | undefined {
    const value = this.#take(key)
    if (value === undefined) return undefined
    if (typeof value === 'number' && value >= 1000 && value <= MAX_TIMEOUT_MS) return Math.round(value)
    this.#problems.push({
      path: [key],
      message: `counts in milliseconds, from 1000 to ${MAX_TIMEOUT_MS}; the default is used.`,
      fatal: false,
    })
    return undefined
  }

  oneOf<const Choice extends string>(key: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.#take(key)
    if (value === undefined) return undefined
    // Assuming something less strict than intended would be wrong.
    return (
      choices.find((choice) => choice === value) ??
      this.fatal([key], `must be ${choices.map((choice) => `"${choice}"`).join(' or ')}.`)
    )
  }

  texts(key: string): string[] | undefined {
    const value = this.#take(key)
    if (value === undefined) return undefined
    if (!Array.isArray(value)) return this.fatal([key], 'must be a list of texts.')
    return value.map(
      (item: unknown, index) => plainText(item) ?? this.fatal([key, index], 'must be a text in quotes.') ?? '',
    )
  }

  pairs(key: string, mistakeOf: (name: string, value: string) => string | undefined): Record<string, string> {
    const value = this.#take(key) ?? {}
    if (!isRecord(value)) {
      this.fatal([key], 'must be an object of names and texts.')
      return {}
    }
    const pairs = Object.entries(value).map(([name, item]): [string, string] => {
      const text = plainText(item)
      const mistake = text === undefined ? 'must be a text in quotes' : mistakeOf(name, text)
      if (mistake !== undefined) this.fatal([key, name], `${mistake}.`)
      return [name, text ?? '']
    })
    return Object.fromEntries(pairs)
  }

  oauth(): McpOAuth | undefined {
    const value = this.#take('oauth')
    if (value === undefined || typeof value === 'boolean') return undefined
    if (!isRecord(value)) return this.fatal(['oauth'], 'must be an object with clientId and scopes.')
    const oauth: McpOAuth = {}
    for (const key of OAUTH_TEXTS) if (typeof value[key] === 'string' && value[key] !== '') oauth[key] = value[key]
    const port = value['callbackPort']
    if (typeof port === 'number') oauth.redirectUrl ??= `http://127.0.0.1:${port}/callback`
    const scopes = value['scopes'] ?? value['scope']
    if (typeof scopes === 'string') oauth.scopes = scopes.split(/\s+/).filter(Boolean)
    else if (Array.isArray(scopes)) oauth.scopes = scopes.filter((scope) => typeof scope === 'string')
    for (const key of Object.keys(value)) {
      if (OAUTH_TEXTS.some((known) => known === key) || ['scope', 'scopes', 'callbackPort'].includes(key)) continue
      this.#problems.push({ path: ['oauth', key], message: 'is unknown and ignored.', fatal: false })
    }
    return oauth
  }

  /** Reports keys that have no meaning for this transport. */
  unused(keys: readonly string[], message: string): void {
    for (const key of keys)
      if (this.#take(key) !== undefined) this.#problems.push({ path: [key], message, fatal: false })
  }

  /** Reports unknown keys. */
  finish(): void {
    for (const key of Object.keys(this.#raw)) {
      if (this.#seen.has(key) || IGNORED_FIELDS.includes(key)) continue
      const message = PERMISSION_FIELDS.includes(key)
        ? 'is ignored: your permission rules decide what may run without asking.'
        : key === 'envFile'
          ? 'is not read: put its variables into "env".'
          : `is not known${suggestion(key)}`
      this.#problems.push({ path: [key], message, fatal: false })
    }
  }

  #take(key: string): unknown {
    this.#seen.add(key)
    return Object.hasOwn(this.#raw, key) ? this.#raw[key] : undefined
  }
}

function suggestion(key: string): string {
  const [like] = nearest(key, KNOWN, 1)
  return like === undefined ? ' and is ignored.' : `: did you mean ${like}?`
}

function plainText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}
