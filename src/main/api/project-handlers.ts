import type { ApiDeps, Implementer } from './implementer'

export function agentHandlers(os: Implementer, { engine: { agents } }: ApiDeps) {
  return {
    list: os.agent.list.handler(({ input }) => agents.list(input.folder)),
  }
}

export function skillHandlers(os: Implementer, { engine: { skills } }: ApiDeps) {
  return {
    list: os.skill.list.handler(({ input }) => skills.list(input.folder)),
  }
}

export function hookHandlers(os: Implementer, { engine: { hooks } }: ApiDeps) {
  return {
    list: os.hook.list.handler(({ input }) => hooks.list(input.folder)),
  }
}

export function trustHandlers(os: Implementer, { engine: { trust } }: ApiDeps) {
  return {
    get: os.trust.get.handler(({ input }) => trust.view(input.folder)),
    accept: os.trust.accept.handler(({ input }) => trust.accept(input.folder, input.hash)),
    refuse: os.trust.refuse.handler(({ input }) => trust.refuse(input.folder, input.hash)),
    list: os.trust.list.handler(() => trust.list()),
    forget: os.trust.forget.handler(({ input }) => trust.forget(input.folder)),
  }
}

export function fileHandlers(os: Implementer, { engine, host }: ApiDeps) {
  return {
    find: os.file.find.handler(({ input }) => engine.files.find(input.sessionId, input.paths)),
    read: os.file.read.handler(({ input }) => engine.files.read(input.sessionId, input.path, input.from)),
    openers: os.file.openers.handler(async () => {
      const editor = await host.files?.editorName(engine.files.editorCommand())
      return { ...(editor !== undefined && { editor }), reveals: host.files !== undefined }
    }),
    open: os.file.open.handler(async ({ input: { sessionId, path, with: way, line, column } }) => {
      // Checked first: only files of the project are passed to a program.
      const realPath = await engine.files.locate(sessionId, path)
      if (!host.files) return false
      if (way === 'folder') return host.files.reveal(realPath)
      return host.files.edit({ path: realPath, line, column }, engine.files.editorCommand())
    }),
  }
}
