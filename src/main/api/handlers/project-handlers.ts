import type { ApiDeps, Implementer } from '../implementer'

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
    view: os.file.view.handler(({ input }) => engine.files.view(input.sessionId, input.path)),
    version: os.file.version.handler(async ({ input }) => ({
      version: await engine.files.version(input.sessionId, input.path),
    })),
    lines: os.file.lines.handler(({ input: { sessionId, path, from, count } }) =>
      engine.files.lines(sessionId, path, from, count),
    ),
    bytes: os.file.bytes.handler(({ input: { sessionId, path, offset, length } }) =>
      engine.files.bytes(sessionId, path, offset, length),
    ),
    search: os.file.search.handler(({ input: { sessionId, path, ...query } }) =>
      engine.files.search(sessionId, path, query),
    ),
    outline: os.file.outline.handler(({ input }) => engine.files.outline(input.sessionId, input.path)),
    folder: os.file.folder.handler(({ input }) => engine.files.folder(input.sessionId, input.path)),
    filter: os.file.filter.handler(({ input: { sessionId, query, limit, early } }) =>
      engine.files.filter(sessionId, query, limit, early),
    ),
    text: os.file.text.handler(({ input }) => engine.files.text(input.sessionId, input.path)),
    save: os.file.save.handler(({ input: { sessionId, path, text, mark } }) =>
      engine.files.save(sessionId, path, text, mark),
    ),
    rename: os.file.rename.handler(({ input: { sessionId, path, name, version } }) =>
      engine.files.rename(sessionId, path, name, version),
    ),
    remove: os.file.remove.handler(({ input }) => engine.files.remove(input.sessionId, input.path)),
    attach: os.file.attach.handler(({ input: { sessionId, name, data } }) =>
      engine.files.attach(sessionId, name, Buffer.from(data, 'base64')),
    ),
    openers: os.file.openers.handler(async () => {
      const chosen = engine.files.editorCommand()
      const [editor, editors = []] = await Promise.all([host.files?.editorName(chosen), host.files?.editors()])
      return {
        ...(editor !== undefined && { editor }),
        ...(chosen !== undefined && { chosen }),
        editors,
        reveals: host.files !== undefined,
      }
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
