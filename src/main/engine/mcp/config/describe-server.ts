import { isDeepStrictEqual } from 'node:util'
import { visibleLine } from '../../../../shared/visible-text'
import { variablesIn } from './expand-variables'
import { type WrittenServer, readServers } from './read-servers'

/**
 * These variables decide which program runs or where it connects to, so their values are always shown. Many others can
 * do so too, so for consent only the values of variables whose names suggest a secret are hidden.
 */
const DECISIVE =
  /^(?:PATH|LD_.*|DYLD_.*|NODE_OPTIONS|NODE_PATH|PYTHON\w*|PERL5?\w*|RUBY\w*|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|BASH_ENV|ENV|SHELL|HOME|TMPDIR|GIT_.*|NPM_CONFIG_.*|UV_.*|PIP_.*|\w*_PROXY|\w*REGISTRY\w*|\w*_URL|\w*_HOST)$/i

/**
 * What a project's server would do, one line each, hiding only the values of its headers and of variables whose names
 * suggest a secret. `before`: the accepted server with this name; values that differ from it are marked. `isOwn`: the
 * server is the user's own, and only environment values that are known to decide something are shown.
 */
export function describeServer(
  { name, definition }: WrittenServer,
  { before, isOwn = false }: { before?: WrittenServer | undefined; isOwn?: boolean } = {},
): string[] {
  const lines: string[] = []
  const say = (text: string): void => void lines.push(`${visibleLine(name)}: ${text}`)
  const old = before?.definition
  if (definition.transport === 'stdio') {
    const { command, args, cwd, env } = definition
    say(`run ${[command, ...args].map(visibleWord).join(' ')}`)
    if (cwd !== undefined) say(`in the folder ${visibleWord(cwd)}`)
    if (definition.sandbox === 'project') say('in the Project sandbox, with open network')
    if (definition.sandbox === 'project-offline') say('in the Project sandbox, with no network')
    const oldEnv = old?.transport === 'stdio' ? old.env : undefined
    const set = Object.entries(env).map(([key, value]) =>
      DECISIVE.test(key) || !(isOwn || suggestsSecret(key))
        ? `${visibleWord(key)}=${visibleWord(value)}`
        : `${visibleWord(key)}${changed(oldEnv, key, value)}`,
    )
    if (set.length > 0) say(`with the environment ${set.join(', ')}`)
  } else {
    const { url, headers, transport, oauth } = definition
    say(`connect to ${visibleLine(url)}${transport === 'sse' ? ' by SSE' : ''}`)
    const oldHeaders = old && old.transport !== 'stdio' ? old.headers : undefined
    const sent = Object.entries(headers).map(([key, value]) => `${key}${changed(oldHeaders, key, value)}`)
    if (sent.length > 0) say(`with the headers ${sent.join(', ')}`)
    const { clientSecret, scopes, ...client } = oauth ?? {}
    const identity = [
      ...Object.values(client),
      ...(scopes?.length ? [`for ${scopes.join(' ')}`] : []),
      ...(clientSecret === undefined ? [] : ['with a secret']),
    ]
    if (identity.length > 0) say(`sign in as ${identity.map(visibleLine).join(', ')}`)
  }
  const taken = variablesIn(definition)
  if (taken.length > 0) say(`given from your environment: ${taken.join(', ')}`)
  if (!definition.enabled) say('disabled')
  return lines
}

/**
 * Whether a variable's name suggests a secret. Not every name that ends like one does: bash runs the value of
 * `BASH_FUNC_key%%`.
 */
function suggestsSecret(variable: string): boolean {
  return /^\w+$/.test(variable) && SECRET_NAME.test(variable)
}

function changed(before: Readonly<Record<string, string>> | undefined, key: string, value: string): string {
  return before && Object.hasOwn(before, key) && !isDeepStrictEqual(before[key], value)
    ? ' (another value than before)'
    : ''
}

/** An argument of a command line, in quotes if it would otherwise be unclear where it ends. */
function visibleWord(word: string): string {
  return /^[\w@%+=:,./~^${}*?!&;|<>()[\]#-]+$/.test(word) && word !== '' ? word : visibleLine(JSON.stringify(word))
}

/**
 * What the servers of an mcp.json would do, one line each, and its mistakes; `before` is an earlier version of the text
 * to compare with.
 */
export async function describeServerFile(text: string, file: string, before?: string): Promise<string[]> {
  const old = before === undefined ? [] : readServers(before, file).servers
  const { servers, problems } = readServers(text, file)
  const lines = servers.flatMap((server) =>
    describeServer(server, { before: old.find(({ name }) => name === server.name) }),
  )
  return [...lines, ...problems.map(({ line, message }) => (line === undefined ? message : `line ${line}: ${message}`))]
}

const MASK = '••••'
/** Prefixes of well-known keys, and strings that only a machine generates. */
const KEY =
  /^(?:sk-|sk_|pk_|rk_|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|AKIA|AIza|eyJ|ntn_|secret_|lin_api_|figd_|hf_|npm_|pat_|Bearer )/
const SECRET_NAME = /(?:key|token|secret|password|passwd|pwd|auth|credential|signature|sig)$/i

/**
 * A command line or an address for a list of the user's own servers, with likely secrets masked. Not for consent to
 * servers that others wrote, who could disguise code as a key.
 */
export function maskSecrets(words: readonly string[]): string[] {
  return words.map((word, index) => {
    const before = words[index - 1]
    if (
      before !== undefined &&
      /^--?[\w-]+$/.test(before) &&
      SECRET_NAME.test(before) &&
      !word.startsWith('-') &&
      !isVariable(word)
    )
      return MASK
    const [, flag, value] = /^([\w.-]+)=(.+)$/s.exec(word) ?? []
    if (flag !== undefined && value !== undefined && (SECRET_NAME.test(flag) || KEY.test(value)) && !isVariable(value))
      return `${flag}=${MASK}`
    if (KEY.test(word)) return MASK
    const [, header, name, sent] = /^(([\w-]+):\s*)(\S.*)$/s.exec(word) ?? []
    if (header !== undefined && (isSecretHeader(name!) || KEY.test(sent!)) && !isVariable(sent!)) return header + MASK
    return /^https?:/i.test(word) ? maskUrl(word) : word
  })
}

/** An address with its password and the values of secret-looking parameters masked. */
export function maskUrl(url: string): string {
  return url
    .replace(/^(https?:\/\/[^/?#@]*:)[^/?#@]*@/i, `$1${MASK}@`)
    .replace(/^(https?:\/\/)([^/?#@:]+)@/i, (whole, start: string, user: string) =>
      KEY.test(user) ? `${start}${MASK}@` : whole,
    )
    .replace(/([?&]([^=&#]+)=)([^&#]+)/g, (whole, start: string, name: string, value: string) =>
      (SECRET_NAME.test(name) || KEY.test(value)) && !isVariable(value) ? `${start}${MASK}` : whole,
    )
}

function isSecretHeader(name: string): boolean {
  return SECRET_NAME.test(name) || /^(?:proxy-)?authorization$|^cookie$/i.test(name)
}

function isVariable(text: string): boolean {
  return /^\$\{[^}]*\}$/.test(text)
}
