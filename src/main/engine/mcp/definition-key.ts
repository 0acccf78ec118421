import { createHash } from 'node:crypto'
import type { McpServerDefinition } from '../../../shared/model/mcp'

/**
 * Names what is run or connected to, and with what: equal for two definitions that one process or connection can serve. Not part of it is what does
 * not concern the server itself: whether it is enabled, time limits, tools that are not offered. 24 hex digits.
 */
export function definitionKey(definition: McpServerDefinition, cwd?: string): string {
  const what =
    definition.transport === 'stdio'
      ? ['stdio', definition.command, definition.args, sorted(definition.env), definition.cwd ?? cwd ?? '']
      : [definition.transport, definition.url, sorted(definition.headers), definition.oauth?.clientId ?? '', definition.oauth?.scopes ?? []]
  return createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 24)
}

function sorted(record: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1))
}
