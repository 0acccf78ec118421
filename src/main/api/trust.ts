import type { ApiDeps, Implementer } from './api-deps'

export function trustHandlers(os: Implementer, { engine: { trust } }: ApiDeps) {
  return {
    get: os.trust.get.handler(({ input }) => trust.view(input.folder)),
    accept: os.trust.accept.handler(({ input }) => trust.accept(input.folder, input.hash)),
    refuse: os.trust.refuse.handler(({ input }) => trust.refuse(input.folder, input.hash)),
    list: os.trust.list.handler(() => trust.list()),
    forget: os.trust.forget.handler(({ input }) => trust.forget(input.folder)),
  }
}
