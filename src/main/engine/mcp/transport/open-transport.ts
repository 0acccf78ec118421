import type { Transport } from '@modelcontextprotocol/client'
import type { McpLogLine, McpServerDefinition } from '../../../../shared/model/mcp'
import type { SandboxPolicy } from '../../sandbox/sandbox-policy'
import type { McpAuth } from '../auth/mcp-auth'
import { boundedFetch } from './bounded-fetch'
import { StdioTransport } from './stdio-transport'

export interface TransportPlace {
  home: string
  /** Where a server without `cwd` runs. */
  cwd: string
  /** What commands get: without keys. */
  env(): Record<string, string>
  /** What a program runs in; undefined: no sandbox. */
  sandbox: SandboxPolicy | undefined
  log(line: Omit<McpLogLine, 'at'>): void
  /** Signs in where that is wanted. */
  fetchFor: McpAuth['fetchFor']
}

/** A transport as the definition wants it, not yet started. Variables in it are filled in. */
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
