import { CodedError } from '../../../../shared/errors'
import type { McpServerDefinition } from '../../../../shared/configuration/customize/mcp'
import { urlProblem } from './read-definition'

/** `${VAR}`, `${VAR:-default}`, and `${env:VAR}` as some editors write it. */
const VARIABLE = /\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^{}]*))?\}/g
/** Set by Trestle, not taken from the environment. */
const PLACES = ['workspaceFolder', 'userHome'] as const

export interface VariableContext {
  /** The values for `${VAR}`. */
  env: Readonly<Record<string, string | undefined>>
  /** The project that defines a server or uses it. */
  workspaceFolder?: string
  userHome: string
}

/** The environment variables a definition uses, without duplicates. */
export function variablesIn(definition: McpServerDefinition): string[] {
  const names = new Set<string>()
  mapTexts(definition, (text) => {
    for (const [, name] of text.matchAll(VARIABLE)) if (!PLACES.some((place) => place === name)) names.add(name!)
    return text
  })
  return [...names]
}

/**
 * Expands the variables in a definition once; values are not expanded again. Throws `config.invalid` when one is not
 * set and has no default, or when the resulting address is invalid. No message quotes a value.
 */
export function expandVariables(
  definition: McpServerDefinition,
  { env, workspaceFolder, userHome }: VariableContext,
): McpServerDefinition {
  const missing = new Set<string>()
  const known: Readonly<Record<string, string | undefined>> = { workspaceFolder, userHome }
  const expanded = mapTexts(definition, (text) =>
    text.replace(VARIABLE, (whole, name: string, otherwise: string | undefined) => {
      const value = (Object.hasOwn(known, name) ? known[name] : env[name]) || otherwise
      if (value === undefined) missing.add(name)
      return value ?? whole
    }),
  )
  if (missing.size > 0) {
    const names = [...missing]
    const verb = names.length === 1 ? 'is not set, or is' : 'are not set, or are'
    throw new CodedError(
      'config.invalid',
      `${names.join(', ')} ${verb} kept from servers. ` +
        `Set ${names.length === 1 ? 'it' : 'them'} where Trestle is started, or write \${${names[0]}:-a default}.`,
    )
  }
  if (expanded.transport === 'stdio') return expanded
  const mistake = urlProblem(expanded.url)
  if (mistake !== undefined) throw new CodedError('config.invalid', `With its variables put in, the url ${mistake}`)
  for (const [name, value] of Object.entries(expanded.headers))
    if (/[\r\n\0]/.test(value))
      throw new CodedError('config.invalid', `With its variables put in, the header ${name} has a line break.`)
  return expanded
}

function mapTexts(definition: McpServerDefinition, change: (text: string) => string): McpServerDefinition {
  const values = (pairs: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(pairs).map(([name, value]) => [name, change(value)]))
  if (definition.transport !== 'stdio') {
    const { url, headers, oauth } = definition
    const { scopes, ...texts } = oauth ?? {}
    const changed = { ...values(texts), ...(scopes && { scopes }) }
    return { ...definition, url: change(url), headers: values(headers), ...(oauth && { oauth: changed }) }
  }
  const { command, args, env, cwd } = definition
  return {
    ...definition,
    command: change(command),
    args: args.map(change),
    env: values(env),
    ...(cwd !== undefined && { cwd: change(cwd) }),
  }
}
