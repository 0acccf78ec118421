import { eventIterator, oc, type } from '@orpc/contract'
import { z } from 'zod'
import {
  MCP_SERVER_SANDBOXES,
  type McpLogLine,
  type McpServerInput,
  type McpServerList,
  type McpServerView,
  type McpSignInStep,
  type McpTestResult,
  type McpImportPreview,
} from '../../configuration/customize/mcp'
import type { McpPrompt, McpResource, McpResourceContent } from '../../configuration/customize/mcp-content'

const server = z.strictObject({ serverId: z.string().min(1).max(2000) })
const name = z.string().min(1).max(200)
const place = z.discriminatedUnion('scope', [
  z.strictObject({ scope: z.literal('user'), name }),
  z.strictObject({ scope: z.literal('project'), folder: z.string().min(1), name }),
])
const text = z.string().max(10_000)
const values = z.record(z.string().min(1).max(500), text.nullable())
const switches = {
  enabled: z.boolean(),
  startTimeoutMs: z.int().min(1).max(3_600_000),
  callTimeoutMs: z.int().min(1).max(3_600_000),
  disabledTools: z.array(text).max(10_000),
  enabledTools: z.array(text).max(10_000).optional(),
}
const oauth = z.strictObject({
  clientId: text.optional(),
  clientSecret: text.nullable().optional(),
  scopes: z.array(text).max(1000).optional(),
  redirectUrl: text.optional(),
  clientMetadataUrl: text.optional(),
})
const definition: z.ZodType<McpServerInput> = z.discriminatedUnion('transport', [
  z.strictObject({
    ...switches,
    transport: z.literal('stdio'),
    command: text.min(1),
    args: z.array(text).max(1000),
    env: values,
    cwd: text.optional(),
    sandbox: z.enum(MCP_SERVER_SANDBOXES).optional(),
  }),
  z.strictObject({
    ...switches,
    transport: z.literal('http'),
    url: text.min(1),
    headers: values,
    oauth: oauth.optional(),
  }),
  z.strictObject({
    ...switches,
    transport: z.literal('sse'),
    url: text.min(1),
    headers: values,
    oauth: oauth.optional(),
  }),
])

/** MCP servers. Listing starts none of them. */
export const mcpContract = {
  /** `folder`: includes the servers of that project, even those not accepted yet. */
  list: oc.input(z.strictObject({ folder: z.string().min(1).optional() })).output(type<McpServerList>()),
  /** The definition of a server, for a form; values that could be secrets are null. */
  definition: oc.input(server).output(type<McpServerInput>()),
  /**
   * Writes a server to its file and leaves other servers and comments unchanged. `previousName`: the one that is
   * changed or renamed; without it, the name must be new.
   */
  save: oc.input(z.strictObject({ place, definition, previousName: name.optional() })).output(type<McpServerList>()),
  remove: oc.input(z.strictObject({ place })).output(type<McpServerList>()),
  /** Servers of other products that could be imported, including those configured in `folder`. Nothing is written. */
  imports: oc.input(z.strictObject({ folder: z.string().min(1).optional() })).output(type<McpImportPreview[]>()),
  /** The same for pasted text. */
  previewImport: oc.input(z.strictObject({ text: z.string().max(1_000_000) })).output(type<McpImportPreview>()),
  /**
   * Adds the selection to the user's own servers, all or nothing; `config.changed` when a file differs from what was
   * shown.
   */
  import: oc
    .input(
      z.strictObject({
        sourceId: z.string().min(1),
        hash: z.string(),
        text: z.string().max(1_000_000).optional(),
        servers: z
          .array(
            z.strictObject({
              key: z.string(),
              name,
              replace: z.boolean().optional(),
              values: z.record(z.string(), z.string().max(10_000)).optional(),
            }),
          )
          .min(1)
          .max(500),
      }),
    )
    .output(type<McpServerList>()),
  setEnabled: oc.input(server.extend({ enabled: z.boolean() })).output(type<McpServerView>()),
  setToolEnabled: oc.input(server.extend({ tool: text, enabled: z.boolean() })).output(type<McpServerView>()),
  /** Restarts the server; the view says why it did not start. */
  restart: oc.input(server).output(type<McpServerView>()),
  /** Tests with a separate connection, and returns a message about the result. */
  test: oc.input(server).output(type<McpTestResult>()),
  logs: oc.input(server).output(type<McpLogLine[]>()),
  /**
   * First the http(s) page for the browser, then the server after the sign-in. Ending the iteration cancels the
   * sign-in.
   */
  signIn: oc.input(server).output(eventIterator(type<McpSignInStep>())),
  signOut: oc.input(server).output(type<McpServerView>()),
}

const sessionId = z.string().min(1).max(100)
const itemName = z.string().min(1).max(300)

/** What MCP servers offer a session in addition to tools. Failures: `mcp.*`, `request.invalid`. */
export const mcpContentContract = {
  /**
   * The known prompts of the session's servers. `server`: only of this one, as named in a command; it is started if
   * that is needed to list them.
   */
  prompts: oc.input(z.strictObject({ sessionId, server: itemName.optional() })).output(type<McpPrompt[]>()),
  /** Resources that match the text after an `@`, best first; after `server:`, that server is also queried. */
  resources: oc
    .input(z.strictObject({ sessionId, query: z.string().max(2500), limit: z.int().min(1).max(200).default(20) }))
    .output(type<McpResource[]>()),
  /** Values that a server suggests for an argument of a prompt. */
  complete: oc
    .input(
      z.strictObject({
        sessionId,
        server: itemName,
        prompt: itemName,
        argument: itemName,
        value: z.string().max(2000),
        given: z.record(itemName, z.string().max(2000)).default({}),
      }),
    )
    .output(type<string[]>()),
  /** The contents of a resource, for display. */
  read: oc
    .input(z.strictObject({ sessionId, server: itemName, uri: z.string().min(1).max(2500) }))
    .output(type<McpResourceContent>()),
}
