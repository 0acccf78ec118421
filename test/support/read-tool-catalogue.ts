import { z } from 'zod'
import { lazySchema } from '../../src/shared/lazy-schema'
import { type ServerTool, ok } from '../../src/main/engine/tool/tool'
import { CATALOGUE_SERVERS, catalogueTools } from './catalogue-text'

/** The tools of the servers in `tool-catalogue/`, as the hub provides them; a call returns its arguments. */
export function readToolCatalogue(servers: readonly string[] = CATALOGUE_SERVERS): ServerTool[] {
  return servers.flatMap((server) =>
    catalogueTools(server).map(({ name, description, inputSchema }) =>
      serverTool(server, name, description, inputSchema),
    ),
  )
}

/** A server's tool, as in the engine. */
export function serverTool(
  server: string,
  name: string,
  description: string,
  schema: ServerTool['schema'] = { type: 'object', properties: {} },
): ServerTool {
  return {
    name: `mcp__${server}__${name}`,
    description,
    input: lazySchema(() => z.looseObject({})),
    schema,
    server: { name: server, tool: name, saysDestructive: false },
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    prepare: async (input) => ({
      summary: name,
      accesses: [],
      run: async () => ok(`${name} was called with ${JSON.stringify(input)}`),
    }),
  }
}
