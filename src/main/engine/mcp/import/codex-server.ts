import { isRecord } from '../config/definition-reader'

/** Names of Codex for what has another name here. */
const RENAMED: Readonly<Record<string, string>> = {
  bearer_token_env_var: 'bearerTokenEnvVar',
  enabled_tools: 'enabledTools',
  disabled_tools: 'disabledTools',
}
/** Seconds there, milliseconds here. */
const SECONDS: Readonly<Record<string, string>> = { startup_timeout_sec: 'startupTimeoutMs', tool_timeout_sec: 'toolTimeoutMs' }

/** A `[mcp_servers.name]` table of Codex under the names that are read here. */
export function codexServer(raw: unknown): { raw: unknown; notes: string[] } {
  if (!isRecord(raw)) return { raw, notes: [] }
  const { env, env_vars: passed, http_headers: headers, env_http_headers: envHeaders, startup_timeout_ms: startMs, scopes, ...others } = raw
  const notes: string[] = []
  const server: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(others)) {
    if (key === 'tools' || key === 'required' || key.includes('approval'))
      notes.push(`${key} is left out: what may run without asking is said by your permission rules.`)
    else if (SECONDS[key] !== undefined) server[SECONDS[key]] = typeof value === 'number' ? value * 1000 : value
    else server[RENAMED[key] ?? key] = value
  }
  if (startMs !== undefined) server['startupTimeoutMs'] = startMs
  const names = Array.isArray(passed) ? passed.map((one: unknown) => (isRecord(one) ? one['name'] : one)) : []
  const taken = names.filter((name): name is string => typeof name === 'string').map((name) => [name, `\${${name}}`])
  if (env !== undefined || taken.length > 0) server['env'] = { ...Object.fromEntries(taken), ...(isRecord(env) ? env : {}) }
  if (headers !== undefined || envHeaders !== undefined) {
    const named = isRecord(envHeaders) ? Object.entries(envHeaders).map(([name, variable]) => [name, `\${${String(variable)}}`]) : []
    server['headers'] = { ...(isRecord(headers) ? headers : {}), ...Object.fromEntries(named) }
  }
  if (scopes !== undefined) server['oauth'] = { scopes }
  return { raw: server, notes }
}
