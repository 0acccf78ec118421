import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { errorText } from '../../shared/error-text'
import type { McpServerDefinition } from '../../shared/configuration/customize/mcp'
import { refuseAgents } from './parse-action'
import { UsageError, type Parsed } from './parse-command'
import { readServers } from '../engine/mcp/config/read-servers'

/** Servers by name, for `Engine.mcp.useInSession`. */
export type SessionServers = Readonly<Record<string, McpServerDefinition>>

/**
 * The servers from the files that `--mcp-config-file` names, for one session; a later file overrides an earlier one.
 * Undefined (refused) when an agent's command requests them, because they start without approval. Throws a `UsageError`
 * of `command` for an unusable file.
 */
export async function readServerFiles(
  command: string,
  given: Parsed['values'][string],
): Promise<SessionServers | undefined> {
  const files = Array.isArray(given) ? given.filter((file) => typeof file === 'string') : []
  if (files.length === 0) return {}
  if (await refuseAgents('--mcp-config-file')) return undefined
  const servers: Record<string, McpServerDefinition> = {}
  for (const file of files) {
    const { servers: found, problems } = readServers(textOf(command, file), file)
    const [problem] = problems
    if (problem)
      throw wrong(command, `${file}${problem.line === undefined ? '' : `:${problem.line}`}: ${problem.message}`)
    if (found.length === 0)
      throw wrong(command, `${file} has no servers; it looks like {"mcpServers": {"name": {"command": "…"}}}.`)
    for (const { name, definition } of found) servers[name] = definition
  }
  return servers
}

function textOf(command: string, file: string): string {
  const stats = statSync(resolve(file), { throwIfNoEntry: false })
  if (!stats) throw wrong(command, `there is no file ${resolve(file)}.`)
  if (stats.isDirectory()) throw wrong(command, `${resolve(file)} is a folder, not a file.`)
  try {
    return readFileSync(resolve(file), 'utf8')
  } catch (error) {
    throw wrong(command, `${file} cannot be read: ${errorText(error)}`)
  }
}

function wrong(command: string, message: string): UsageError {
  return new UsageError(`--mcp-config-file: ${message}`, command)
}
