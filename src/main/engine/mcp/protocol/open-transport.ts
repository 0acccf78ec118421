import type { Transport } from '@modelcontextprotocol/client'
import type { McpLogLine, McpServerDefinition } from '../../../../shared/configuration/customize/mcp'
import type { SandboxPolicy } from '../../sandbox/sandbox-policy'
import type { McpAuth } from '../sign-in/mcp-auth'
import { boundedFetch } from '../transport/bounded-fetch'
import { StdioTransport } from './stdio-transport'

export interface TransportPlace {
  home: string
  /** The folder where a server without `cwd` runs. */
  cwd: string
  /** The environment of commands, without keys. */
  env(): Record<string, string>
  /** The sandbox of a program; undefined: no sandbox. */
  sandbox: SandboxPolicy | undefined
  log(line: Omit<McpLogLine, 'at'>): void
  /** Signs in where required. */
  fetchFor: McpAuth['fetchFor']
}

/** The transport for a definition, not yet started. Its variables are expanded. */
export async function openTransport(
  definition: McpServerDefinition,
  { home, cwd, env, sandbox, log, fetchFor }: TransportPlace,
): Promise<Transport> {
  if (definition.transport === 'stdio') {
    const { command, args } = definition
    const place = { home, cwd: definition.cwd ?? cwd, env: { ...env(), ...definition.env } }
    return new StdioTransport({ ...place, command, args, ...(sandbox && { sandbox }) }, log)
  }
  const url = new URL(definition.url)
  const options = {
    fetch: boundedFetch(fetchFor(definition)),
    requestInit: { headers: { ...definition.headers } },
  }
  if (definition.transport === 'sse') {
    const { SSEClientTransport } = await import('@modelcontextprotocol/client')
    return new SSEClientTransport(url, options)
  }
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  return new StreamableHTTPClientTransport(url, options)
}
