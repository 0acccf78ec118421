import type { GitActions } from '../../engine/git/git-actions'
import type { ApiDeps, Implementer } from '../implementer'

export function gitHandlers(os: Implementer, { engine }: ApiDeps) {
  const git = (): Promise<GitActions> => engine.git()
  return {
    summary: os.git.summary.handler(async ({ input }) => (await git()).summary(input.sessionId)),
    trustView: os.git.trustView.handler(async ({ input }) => (await git()).trustView(input.sessionId)),
    trust: os.git.trust.handler(async ({ input }) => (await git()).trust(input.sessionId, input.hash)),
    trusted: os.git.trusted.handler(async () => (await git()).trusted()),
    forgetTrust: os.git.forgetTrust.handler(async ({ input }) => (await git()).forgetTrust(input.repository)),
    init: os.git.init.handler(async ({ input }) => (await git()).init(input.sessionId)),
    status: os.git.status.handler(async ({ input }) => (await git()).status(input.sessionId)),
    diff: os.git.diff.handler(async ({ input: { sessionId, ...file } }) => (await git()).diff(sessionId, file)),
    ...changeHandlers(os, git),
    ...historyHandlers(os, git),
    ...integrationHandlers(os, git),
    ...conflictHandlers(os, git),
  }
}

function changeHandlers(os: Implementer, git: () => Promise<GitActions>) {
  return {
    stage: os.git.stage.handler(async ({ input }) => (await git()).stage(input.sessionId, input.paths)),
    unstage: os.git.unstage.handler(async ({ input }) => (await git()).unstage(input.sessionId, input.paths)),
    discard: os.git.discard.handler(async ({ input }) => (await git()).discard(input.sessionId, input.paths)),
    stageHunks: os.git.stageHunks.handler(async ({ input: { sessionId, ...change } }) =>
      (await git()).stageHunks(sessionId, change),
    ),
    unstageHunks: os.git.unstageHunks.handler(async ({ input: { sessionId, ...change } }) =>
      (await git()).unstageHunks(sessionId, change),
    ),
    discardHunks: os.git.discardHunks.handler(async ({ input: { sessionId, ...change } }) =>
      (await git()).discardHunks(sessionId, change),
    ),
    kept: os.git.kept.handler(async ({ input }) => (await git()).kept(input.sessionId)),
    restoreKept: os.git.restoreKept.handler(async ({ input }) => (await git()).restoreKept(input.sessionId, input.id)),
    commit: os.git.commit.handler(async ({ input: { sessionId, ...request }, signal }) =>
      (await git()).commit(sessionId, request, signal),
    ),
    lastMessage: os.git.lastMessage.handler(async ({ input }) => (await git()).lastMessage(input.sessionId)),
    draftMessage: os.git.draftMessage.handler(async ({ input, signal }) =>
      (await git()).draftMessage(input.sessionId, signal),
    ),
    stashes: os.git.stashes.handler(async ({ input }) => (await git()).stashes(input.sessionId)),
    saveStash: os.git.saveStash.handler(async ({ input: { sessionId, ...request } }) =>
      (await git()).saveStash(sessionId, request),
    ),
    applyStash: os.git.applyStash.handler(async ({ input }) =>
      (await git()).applyStash(input.sessionId, input.hash, input.drop),
    ),
    dropStash: os.git.dropStash.handler(async ({ input }) => (await git()).dropStash(input.sessionId, input.hash)),
    restoreStash: os.git.restoreStash.handler(async ({ input: { sessionId, ...stash } }) =>
      (await git()).restoreStash(sessionId, stash),
    ),
  }
}

function historyHandlers(os: Implementer, git: () => Promise<GitActions>) {
  return {
    branches: os.git.branches.handler(async ({ input }) => (await git()).branches(input.sessionId)),
    createBranch: os.git.createBranch.handler(async ({ input: { sessionId, ...branch } }) =>
      (await git()).createBranch(sessionId, branch),
    ),
    switch: os.git.switch.handler(async ({ input }) => (await git()).switch(input.sessionId, input.to)),
    renameBranch: os.git.renameBranch.handler(async ({ input }) =>
      (await git()).renameBranch(input.sessionId, input.name, input.to),
    ),
    deleteBranch: os.git.deleteBranch.handler(async ({ input }) =>
      (await git()).deleteBranch(input.sessionId, input.name, input.force),
    ),
    fetch: os.git.fetch.handler(async ({ input, signal }) =>
      (await git()).fetch(input.sessionId, input.remote, signal),
    ),
    pull: os.git.pull.handler(async ({ input, signal }) => (await git()).pull(input.sessionId, input.way, signal)),
    push: os.git.push.handler(async ({ input: { sessionId, ...request }, signal }) =>
      (await git()).push(sessionId, request, signal),
    ),
    progress: os.git.progress.handler(async ({ input }) => (await git()).progress(input.sessionId) ?? null),
    log: os.git.log.handler(async ({ input: { sessionId, ...request } }) => (await git()).log(sessionId, request)),
    commitDetails: os.git.commitDetails.handler(async ({ input }) =>
      (await git()).commitDetails(input.sessionId, input.hash),
    ),
    commitDiff: os.git.commitDiff.handler(async ({ input: { sessionId, ...file } }) =>
      (await git()).commitDiff(sessionId, file),
    ),
    blame: os.git.blame.handler(async ({ input, signal }) => (await git()).blame(input.sessionId, input.path, signal)),
    pullRequest: os.git.pullRequest.handler(async ({ input }) => (await git()).pullRequest(input.sessionId)),
    createPullRequest: os.git.createPullRequest.handler(async ({ input: { sessionId, ...request }, signal }) =>
      (await git()).createPullRequest(sessionId, request, signal),
    ),
  }
}

function integrationHandlers(os: Implementer, git: () => Promise<GitActions>) {
  return {
    merge: os.git.merge.handler(async ({ input }) => (await git()).merge(input.sessionId, input.from)),
    cherryPick: os.git.cherryPick.handler(async ({ input }) => (await git()).cherryPick(input.sessionId, input.hash)),
    tags: os.git.tags.handler(async ({ input }) => (await git()).tags(input.sessionId)),
    createTag: os.git.createTag.handler(async ({ input: { sessionId, ...tag } }) =>
      (await git()).createTag(sessionId, tag),
    ),
    deleteTag: os.git.deleteTag.handler(async ({ input }) => (await git()).deleteTag(input.sessionId, input.name)),
    restoreTag: os.git.restoreTag.handler(async ({ input: { sessionId, ...tag } }) =>
      (await git()).restoreTag(sessionId, tag),
    ),
    pushTag: os.git.pushTag.handler(async ({ input, signal }) =>
      (await git()).pushTag(input.sessionId, input.name, signal),
    ),
  }
}

function conflictHandlers(os: Implementer, git: () => Promise<GitActions>) {
  return {
    conflictFile: os.git.conflictFile.handler(async ({ input }) =>
      (await git()).conflictFile(input.sessionId, input.path),
    ),
    resolvePart: os.git.resolvePart.handler(async ({ input: { sessionId, ...choice } }) =>
      (await git()).resolvePart(sessionId, choice),
    ),
    takeSide: os.git.takeSide.handler(async ({ input: { sessionId, ...choice } }) =>
      (await git()).takeSide(sessionId, choice),
    ),
    markResolved: os.git.markResolved.handler(async ({ input }) =>
      (await git()).markResolved(input.sessionId, input.paths),
    ),
    continueOperation: os.git.continueOperation.handler(async ({ input }) =>
      (await git()).continueOperation(input.sessionId),
    ),
    abortOperation: os.git.abortOperation.handler(async ({ input }) => (await git()).abortOperation(input.sessionId)),
  }
}

export function reviewHandlers(os: Implementer, { engine: { reviews } }: ApiDeps) {
  return {
    list: os.review.list.handler(({ input }) => reviews.list(input.sessionId, input.scope)),
    diffs: os.review.diffs.handler(({ input }) =>
      reviews.diffs(input.sessionId, input.scope, input.paths, { secrets: input.secrets }),
    ),
    lines: os.review.lines.handler(({ input: { sessionId, scope, ...range } }) =>
      reviews.lines(sessionId, scope, range),
    ),
    undo: os.review.undo.handler(({ input }) => reviews.undo(input.sessionId, input.scope, input.files)),
    bases: os.review.bases.handler(({ input }) => reviews.bases(input.sessionId)),
    marks: os.review.marks.handler(({ input }) => reviews.marks(input.sessionId, input.scope)),
    setViewed: os.review.setViewed.handler(({ input: { sessionId, viewed, ...file } }) =>
      reviews.setViewed(sessionId, file, viewed),
    ),
    setKept: os.review.setKept.handler(({ input }) =>
      reviews.setKept(input.sessionId, input.path, input.ids, input.kept),
    ),
    addComment: os.review.addComment.handler(({ input: { sessionId, scope, ...comment } }) =>
      reviews.addComment(sessionId, scope, comment),
    ),
    changeComment: os.review.changeComment.handler(({ input }) =>
      reviews.changeComment(input.sessionId, input.id, input.text),
    ),
    removeComment: os.review.removeComment.handler(({ input }) =>
      reviews.removeComment(input.sessionId, input.id, input.undo),
    ),
    send: os.review.send.handler(({ input }) => reviews.send(input.sessionId)),
  }
}

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
