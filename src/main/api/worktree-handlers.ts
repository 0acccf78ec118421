import type { ApiDeps, Implementer } from './implementer'

export function worktreeHandlers(os: Implementer, { engine: { worktrees } }: ApiDeps) {
  return {
    offer: os.worktree.offer.handler(async ({ input }) => (await worktrees()).offer(input.folder, input.about)),
    list: os.worktree.list.handler(async () => (await worktrees()).list()),
    status: os.worktree.status.handler(async ({ input }) => (await worktrees()).status(input.worktreeId)),
    merge: os.worktree.merge.handler(async ({ input: { worktreeId, ...options } }) =>
      (await worktrees()).merge(worktreeId, options),
    ),
    update: os.worktree.update.handler(async ({ input: { worktreeId, ...options } }) =>
      (await worktrees()).update(worktreeId, options),
    ),
    remove: os.worktree.remove.handler(async ({ input }) => (await worktrees()).remove(input.worktreeId)),
    restore: os.worktree.restore.handler(async ({ input }) => (await worktrees()).restore(input.worktreeId)),
    purge: os.worktree.purge.handler(async ({ input }) => (await worktrees()).purge(input.worktreeId)),
    forget: os.worktree.forget.handler(async ({ input }) => (await worktrees()).forget(input.worktreeId)),
    setup: os.worktree.setup.handler(async ({ input }) => (await worktrees()).setup(input.worktreeId, input.run)),
  }
}
