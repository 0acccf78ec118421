import { errorText } from '../../../../shared/error-text'
import { CodedError } from '../../../../shared/errors'
import { writeFailure } from '../../config/write-failure'
import type { JsonEdit } from '../../config/json/edit-json'
import { readConfigText } from '../../config/read-config-file'
import { writePrivateFile } from '../../config/write-private-file'
import { atomicWrite } from '../../workspace/file/atomic-write'
import type { McpOAuth, McpServerDefinition, McpServerInput } from '../../../../shared/configuration/customize/mcp'
import { CALL_TIMEOUT_MS, START_TIMEOUT_MS } from './read-definition'

const MAX_ATTEMPTS = 5

/**
 * Changes only what the edits name in a file of servers, based on its current content on disk, and returns its new
 * text. The user's own file is readable by the user alone; a project's file keeps its permissions. Throws
 * `config.write_failed`, leaving the file unchanged; a file that does not parse is never written.
 */
export async function writeServers(
  file: string,
  { isPrivate, within }: { isPrivate: boolean; /** The project it must be in. */ within?: string },
  editsFor: (text: string) => JsonEdit[],
): Promise<string> {
  const { editJson } = await import('../../config/json/edit-json')
  for (let attempt = 1; ; attempt += 1) {
    const found = readConfigText(file, within === undefined ? {} : { within })
    if ('problem' in found) throw new CodedError('config.write_failed', `${file}: ${found.problem.message}`)
    const before = 'text' in found ? found.text : ''
    const after = edited(file, () => editJson(before, editsFor(before)))
    if (after === before) return after
    const now = readConfigText(file, within === undefined ? {} : { within })
    // The file may have been saved while the change was being prepared.
    if (JSON.stringify(now) !== JSON.stringify(found) && attempt < MAX_ATTEMPTS) continue
    try {
      if (isPrivate) writePrivateFile(file, after)
      else await atomicWrite(file, Buffer.from(after))
      return after
    } catch (error) {
      throw writeFailure(`${file} could not be written: ${errorText(error)}`, error)
    }
  }
}

function edited(file: string, edit: () => string): string {
  try {
    return edit()
  } catch (error) {
    if (error instanceof CodedError) throw error
    throw writeFailure(`${file} does not parse, so it is left as it is: ${errorText(error)}`, error)
  }
}

type InputOAuth = NonNullable<Extract<McpServerInput, { transport: 'http' | 'sse' }>['oauth']>

/** Other products' names for our own keys. */
const OTHER_NAMES = ['transport', 'httpUrl', 'serverUrl', 'bearerTokenEnvVar', 'disabled', 'timeout']

/**
 * The edits that turn the server at `path` into this definition; unknown keys are kept. `before`: the current
 * definition, whose values are kept where the new ones are null.
 */
export function serverEdits(
  path: readonly string[],
  input: McpServerInput,
  before: McpServerDefinition | undefined,
): JsonEdit[] {
  const members = Object.entries(serverMembers(input, before))
  // A new server is written as a whole, in the usual order.
  if (!before) return [{ path, value: Object.fromEntries(members.filter(([, value]) => value !== undefined)) }]
  return [
    ...OTHER_NAMES.map((key): JsonEdit => ({ path: [...path, key], remove: true })),
    ...members.map(([key, value]): JsonEdit =>
      value === undefined ? { path: [...path, key], remove: true } : { path: [...path, key], value },
    ),
  ]
}

function serverMembers(input: McpServerInput, before: McpServerDefinition | undefined): Record<string, unknown> {
  const { enabled, startTimeoutMs, callTimeoutMs, disabledTools, enabledTools } = input
  const local = input.transport === 'stdio' ? input : undefined
  const remote = input.transport === 'stdio' ? undefined : input
  const env = local && kept(local.env, before?.transport === 'stdio' ? before.env : {})
  const headers = remote && kept(remote.headers, before && before.transport !== 'stdio' ? before.headers : {})
  return {
    type: remote?.transport,
    command: local?.command,
    args: local && (local.args.length > 0 ? local.args : undefined),
    env: filled(env),
    cwd: local?.cwd,
    sandbox: local?.sandbox,
    url: remote?.url,
    headers: filled(headers),
    oauth: remote?.oauth && keptSecret(remote.oauth, before && before.transport !== 'stdio' ? before.oauth : undefined),
    enabled: enabled ? undefined : false,
    startupTimeoutMs: startTimeoutMs === START_TIMEOUT_MS ? undefined : startTimeoutMs,
    toolTimeoutMs: callTimeoutMs === CALL_TIMEOUT_MS ? undefined : callTimeoutMs,
    enabledTools,
    disabledTools: disabledTools.length > 0 ? disabledTools : undefined,
  }
}

function kept(
  values: Readonly<Record<string, string | null>>,
  before: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value ?? (Object.hasOwn(before, name) ? before[name]! : '')]),
  )
}

function keptSecret(oauth: InputOAuth, before: McpOAuth | undefined): McpOAuth {
  const { clientSecret, ...rest } = oauth
  const secret = clientSecret ?? (clientSecret === null ? before?.clientSecret : undefined)
  return { ...rest, ...(secret !== undefined && { clientSecret: secret }) }
}

function filled(values: Record<string, string> | undefined): Record<string, string> | undefined {
  return values && Object.keys(values).length > 0 ? values : undefined
}

/** A value that consists only of variables, preceded by at most one word, reveals nothing. */
const HARMLESS = /^(?:Bearer )?(?:\$\{(?:env:)?[A-Za-z_]\w*\})+$/

/** A definition that a form can receive. */
export function withoutSecrets(definition: McpServerDefinition): McpServerInput {
  return definition.transport === 'stdio'
    ? { ...definition, env: hidden(definition.env) }
    : {
        ...definition,
        headers: hidden(definition.headers),
        ...(definition.oauth && { oauth: withoutSecret(definition.oauth) }),
      }
}

function hidden(values: Readonly<Record<string, string>>): Record<string, string | null> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, HARMLESS.test(value) ? value : null]))
}

function withoutSecret({ clientSecret, ...rest }: McpOAuth): InputOAuth {
  return clientSecret === undefined
    ? rest
    : { ...rest, clientSecret: HARMLESS.test(clientSecret) ? clientSecret : null }
}
