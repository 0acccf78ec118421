import { createHash } from 'node:crypto'
import type { McpServerDefinition } from '../../../shared/model/mcp'
import { sandboxSetting } from './hub/server-sandboxes'
import type { ConfiguredServer } from './mcp-config'

/**
 * Names what is run or connected to, and with what: equal for two servers that one process or connection can serve. `cwd`: where one runs that does not say
 * so. Not part of it is what does not concern the server itself: whether it is enabled, time limits, tools that are not offered. 24 hex digits.
 */
export function definitionKey({ definition, scope, folder }: ConfiguredServer, cwd: string): string {
  const sandbox = definition.transport === 'stdio' ? sandboxSetting({ scope, definition }) : 'unrestricted'
  // A sandbox is that of one project: nobody else's server can be in it.
  const what = [...whatRuns(definition, cwd), ...(sandbox === 'unrestricted' ? [] : [sandbox, folder ?? ''])]
  // Variables mean something else in another place: what the user's own file may name, a project's may not.
  const meaning = JSON.stringify(what).includes('${') ? [scope, folder ?? ''] : []
  return createHash('sha256')
    .update(JSON.stringify([what, meaning]))
    .digest('hex')
    .slice(0, 24)
}

function whatRuns(definition: McpServerDefinition, cwd: string): unknown[] {
  if (definition.transport === 'stdio') return ['stdio', definition.command, definition.args, sorted(definition.env), definition.cwd ?? cwd]
  return [definition.transport, definition.url, sorted(definition.headers), sorted({ ...definition.oauth })]
}

function sorted(record: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1))
}
