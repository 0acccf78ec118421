import type { ApiDeps, Implementer } from './api-deps'

export function hookHandlers(os: Implementer, { engine: { hooks } }: ApiDeps) {
  return {
    list: os.hook.list.handler(({ input }) => hooks.list(input.folder)),
  }
}
