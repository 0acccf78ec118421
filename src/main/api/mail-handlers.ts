import type { ApiDeps, Implementer } from './implementer'

export function mailHandlers(os: Implementer, { engine: { mail } }: ApiDeps) {
  return {
    accounts: os.mail.accounts.handler(() => mail.accounts()),
    save: os.mail.save.handler(({ input }) => mail.save(input.account, input.password)),
    remove: os.mail.remove.handler(({ input }) => mail.remove(input.id)),
    restore: os.mail.restore.handler(({ input }) => mail.restore(input.id)),
    test: os.mail.test.handler(({ input }) => mail.test(input.id)),
    search: os.mail.search.handler(({ input }) => mail.search(input)),
    read: os.mail.read.handler(({ input }) => mail.read(input.id)),
    draft: os.mail.draft.handler(({ input }) => mail.draft(input)),
    send: os.mail.send.handler(({ input }) => mail.send(input)),
    move: os.mail.move.handler(({ input }) => mail.move(input.ids, input.folder)),
    flag: os.mail.flag.handler(({ input }) => mail.flag(input.ids, input.as)),
  }
}
