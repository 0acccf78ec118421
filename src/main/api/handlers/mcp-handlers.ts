import type { McpServerView, McpSignInStep } from '../../../shared/configuration/customize/mcp'
import { type ApiDeps, type Implementer, toRpcError } from '../implementer'
import { safeLink } from '../../../shared/safe-link'

export function mcpHandlers(os: Implementer, { engine: { mcp }, host, logBug }: ApiDeps) {
  return {
    list: os.mcp.list.handler(({ input }) => mcp.list(input.folder)),
    definition: os.mcp.definition.handler(({ input }) => mcp.definition(input.serverId)),
    save: os.mcp.save.handler(({ input }) => mcp.save(input.place, input.definition, input.previousName)),
    remove: os.mcp.remove.handler(({ input }) => mcp.remove(input.place)),
    imports: os.mcp.imports.handler(({ input }) => mcp.imports(input.folder)),
    previewImport: os.mcp.previewImport.handler(({ input }) => mcp.previewImport(input.text)),
    import: os.mcp.import.handler(({ input }) => mcp.import(input)),
    setEnabled: os.mcp.setEnabled.handler(({ input }) => mcp.setEnabled(input.serverId, input.enabled)),
    setToolEnabled: os.mcp.setToolEnabled.handler(({ input }) =>
      mcp.setToolEnabled(input.serverId, input.tool, input.enabled),
    ),
    restart: os.mcp.restart.handler(({ input }) => mcp.restart(input.serverId)),
    test: os.mcp.test.handler(({ input }) => mcp.test(input.serverId)),
    logs: os.mcp.logs.handler(({ input }) => mcp.logs(input.serverId)),
    signIn: os.mcp.signIn.handler(({ input, signal }) => {
      const page = Promise.withResolvers<string>()
      const stop = new AbortController()
      const ends = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
      const done = mcp.signIn(input.serverId, page.resolve, ends)
      // It can fail before the client requests the first step.
      done.catch(() => undefined)
      return signInSteps(page.promise, done, stop, host.openExternal, (error) =>
        toRpcError(error, logBug, 'mcp.signIn'),
      )
    }),
    signOut: os.mcp.signOut.handler(({ input }) => mcp.signOut(input.serverId)),
  }
}

/** Yields the sign-in page, which a host with a browser opens itself, and then the outcome. */
async function* signInSteps(
  page: Promise<string>,
  done: Promise<McpServerView>,
  stop: AbortController,
  openExternal: (url: string) => Promise<boolean>,
  mapError: (error: unknown) => unknown,
): AsyncGenerator<McpSignInStep, void> {
  try {
    const first = await Promise.race([page.then((url) => ({ url })), done.then((server) => ({ server }))])
    if ('url' in first) {
      const url = safeLink(first.url)
      yield { step: 'open', url: first.url, opened: url !== undefined && (await openExternal(url)) }
    }
    yield { step: 'done', server: await done }
  } catch (error) {
    throw mapError(error)
  } finally {
    stop.abort(new Error('Given up.'))
  }
}

export function mcpContentHandlers(os: Implementer, { engine: { mcpContent } }: ApiDeps) {
  return {
    prompts: os.mcpContent.prompts.handler(({ input }) => mcpContent.prompts(input.sessionId, input.server)),
    resources: os.mcpContent.resources.handler(({ input }) =>
      mcpContent.resources(input.sessionId, input.query, input.limit),
    ),
    complete: os.mcpContent.complete.handler(({ input: { sessionId, ...argument } }) =>
      mcpContent.complete(sessionId, argument),
    ),
    read: os.mcpContent.read.handler(({ input }) => mcpContent.read(input.sessionId, input.server, input.uri)),
  }
}
