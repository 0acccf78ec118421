import type { EditorPush } from '../../shared/model/editor-call'
import type { ApiDeps, Implementer } from './implementer'
import { RemoteEditor, type EditorOffer } from './remote-editor'
import type { McpServerDefinition } from '../../shared/configuration/mcp'
import type { Engine } from '../engine/engine-api'

export function editorHandlers(os: Implementer, { engine }: ApiDeps) {
  const editors = new Set<RemoteEditor>()
  return {
    serve: os.editor.serve.handler(({ input: { sessionId, servers, ...offer }, signal }) => {
      // Throws for a session that is not there.
      engine.sessions.header(sessionId)
      return serveEditor(engine, editors, { sessionId, servers: definitions(servers), offer, signal })
    }),
    reply: os.editor.reply.handler(async ({ input }) => {
      for (const editor of editors) if (editor.reply(input)) return
    }),
  }
}

interface Served {
  sessionId: string
  servers: Record<string, McpServerDefinition>
  offer: EditorOffer
  signal: AbortSignal | undefined
}

/** Lends what an editor offers, from the first event until the subscription ends. */
async function* serveEditor(
  engine: Pick<Engine, 'lend' | 'mcp'>,
  editors: Set<RemoteEditor>,
  { sessionId, servers, offer, signal }: Served,
): AsyncGenerator<EditorPush, void, void> {
  const editor = new RemoteEditor(offer)
  const bringsServers = Object.keys(servers).length > 0
  editors.add(editor)
  const takeBack = engine.lend(sessionId, editor.capabilities)
  if (bringsServers) engine.mcp.useInSession(sessionId, servers)
  try {
    yield* editor.pushes(signal)
  } finally {
    takeBack()
    if (bringsServers) engine.mcp.leave(sessionId)
    editors.delete(editor)
  }
}

/** Without the keys of absent values. */
function definitions(servers: Record<string, object>): Record<string, McpServerDefinition> {
  return JSON.parse(JSON.stringify(servers)) as Record<string, McpServerDefinition>
}
