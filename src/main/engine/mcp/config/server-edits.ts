import type { McpOAuth, McpServerDefinition, McpServerInput } from '../../../../shared/model/mcp'
import type { JsonEdit } from '../../config/json/edit-json'
import { CALL_TIMEOUT_MS, START_TIMEOUT_MS } from './read-definition'

type InputOAuth = NonNullable<Extract<McpServerInput, { transport: 'http' | 'sse' }>['oauth']>

/** Names of other products for what is written under our own. */
const OTHER_NAMES = ['transport', 'httpUrl', 'serverUrl', 'bearerTokenEnvVar', 'disabled', 'timeout']

/**
 * What has to change in a file so that `path` is the server of this definition; what Trestle does not know of stays. `before`: what is written there now, from which
 * values that are null are kept.
 */
export function serverEdits(path: readonly string[], input: McpServerInput, before: McpServerDefinition | undefined): JsonEdit[] {
  const members = Object.entries(serverMembers(input, before))
  // A new one is written as a whole, so that it stands there as people write it.
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

function kept(values: Readonly<Record<string, string | null>>, before: Readonly<Record<string, string>>): Record<string, string> {
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

/** A value that is nothing but variables, with a word before it at most, gives nothing away. */
const HARMLESS = /^(?:Bearer )?(?:\$\{(?:env:)?[A-Za-z_]\w*\})+$/

/** A definition as a form may have it. */
export function withoutSecrets(definition: McpServerDefinition): McpServerInput {
  return definition.transport === 'stdio'
    ? { ...definition, env: hidden(definition.env) }
    : { ...definition, headers: hidden(definition.headers), ...(definition.oauth && { oauth: withoutSecret(definition.oauth) }) }
}

function hidden(values: Readonly<Record<string, string>>): Record<string, string | null> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, HARMLESS.test(value) ? value : null]))
}

function withoutSecret({ clientSecret, ...rest }: McpOAuth): InputOAuth {
  return clientSecret === undefined ? rest : { ...rest, clientSecret: HARMLESS.test(clientSecret) ? clientSecret : null }
}
