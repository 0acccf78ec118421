import type { ApiDeps, Implementer } from './api-deps'

export function fileHandlers(os: Implementer, { engine, host }: ApiDeps) {
  return {
    find: os.file.find.handler(({ input }) => engine.files.find(input.sessionId, input.paths)),
    read: os.file.read.handler(({ input }) => engine.files.read(input.sessionId, input.path, input.from)),
    openers: os.file.openers.handler(async () => {
      const editor = await host.files?.editorName(engine.files.editorCommand())
      return { ...(editor !== undefined && { editor }), reveals: host.files !== undefined }
    }),
    open: os.file.open.handler(async ({ input: { sessionId, path, with: way, line, column } }) => {
      // Judged first: nothing but a file of the project is given to a program.
      const realPath = await engine.files.locate(sessionId, path)
      if (!host.files) return false
      if (way === 'folder') return host.files.reveal(realPath)
      return host.files.edit({ path: realPath, line, column }, engine.files.editorCommand())
    }),
  }
}
