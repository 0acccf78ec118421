import type { ApiDeps, Implementer } from './api-deps'
import { listFolder } from './folder-listing'
import { makeScratchFolder } from './scratch-folder'

export function folderHandlers(os: Implementer, { engine }: ApiDeps) {
  return {
    list: os.folder.list.handler(({ input }) => listFolder(input.path)),
    complete: os.folder.complete.handler(({ input }) => engine.sessions.completeFile(input.sessionId, input.query, input.limit)),
    scratch: os.folder.scratch.handler(async () => ({ path: await makeScratchFolder() })),
  }
}
