import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { CodedError } from '../../../shared/errors'
import type { GitSummary } from '../../../shared/model/project/git'
import { createBranch, deleteBranch, listBranches, renameBranch, switchTo } from './change/branches'
import { abortOperation, conflictsIn, continueOperation, markResolved, resolvePart, takeSide } from './change/conflicts'
import { createKeptContent } from './change/kept'
import { createPullRequest, pullRequestOf } from './change/pull-request'
import { cherryPick, merge } from './change/integrate'
import { fetchRemote, pull, push, type RemoteRun } from './change/remotes'
import {
  discard,
  discardHunks,
  stage,
  stageAll,
  stageHunks,
  unstage,
  unstageAll,
  unstageHunks,
  commit,
  lastMessage,
} from './change/staging'
import { applyStash, dropStash, listStashes, popStash, restoreStash, saveStash } from './change/stashes'
import { createTag, deleteTag, listTags, pushTag, restoreTag } from './change/tags'
import type { GitActions } from './git-actions'
import { findRepository, repositoryProblem, type Repository } from './run/find-repository'
import {
  readGitTrust,
  readGitUser,
  requireGitTrust,
  type TrustPlace,
  writeGitTrust,
  forgetGitTrust,
  trustedRepositories,
} from './trust/git-trust'
import { pathInRepository } from './run/git-path'
import { openToRead } from './repository/open-to-read'
import { openRepository, type OpenRepository } from './repository/open-repository'
import { readHead } from './run/git-files'
import type { GitUser } from './trust/repository-programs'
import { createRunGit, type RunGit } from './run/run-git'
import { blame } from './state/blame'
import { fileDiff } from './state/file-diff'
import { commitDetails, commitFileDiff, readLog } from './state/log'
import { readStatus } from './state/status'
import { submoduleChanges } from './state/submodules'
import { cutText } from '../../../shared/cut-text'

export interface GitDeps {
  home: string
  now(): number
  /** The environment of commands; waits until it is known. */
  env(): Promise<Readonly<Record<string, string | undefined>>>
  /** The folder of a session. Throws `session.not_found`. */
  folderOf(sessionId: string): string
  /** Something in the repository of a session has changed. */
  notify(): void
  /** Evidence that an agent, not the user, is calling; undefined for the user. */
  agentTrace(): Promise<string | undefined>
  /** Has the session's model write a message. */
  draft(sessionId: string, repository: OpenRepository, signal?: AbortSignal): Promise<string>
}

/** Git for the folders of sessions. Changes to one repository run one at a time. */
export function createGit(deps: GitDeps): GitActions {
  const { home, now, folderOf, notify } = deps
  const kept = createKeptContent({ home, now })
  const neutralFolder = join(home, 'git', 'run')
  const queues = new Map<string, Promise<unknown>>()
  let user: Promise<GitUser> | undefined
  const progress = new Map<string, string>()

  function repositoryOf(sessionId: string): Repository {
    const folder = folderOf(sessionId)
    const repository = findRepository(folder)
    if (!repository)
      throw new CodedError('git.no_repository', repositoryProblem(folder) ?? `${folder} is not in a Git repository.`)
    return repository
  }

  async function runner(): Promise<RunGit> {
    const env = await deps.env()
    mkdirSync(neutralFolder, { recursive: true, mode: 0o700 })
    return createRunGit({ env: () => env, neutralFolder })
  }

  /** The user's settings are read once: they may name a hooks folder inside each repository. */
  async function trustPlace(): Promise<TrustPlace> {
    user ??= Promise.all([runner(), deps.env()]).then(([run, env]) => readGitUser(run, env))
    return { home, user: await user }
  }

  async function opened(repository: Repository): Promise<OpenRepository> {
    requireGitTrust(await trustPlace(), repository)
    return openRepository(repository, await runner())
  }

  async function reading<Result>(
    sessionId: string,
    work: (repository: OpenRepository) => Promise<Result> | Result,
  ): Promise<Result> {
    return work(await opened(repositoryOf(sessionId)))
  }

  /** Waits for its turn, and notifies clients even if it fails halfway. */
  async function changing<Result>(
    sessionId: string,
    work: (repository: OpenRepository) => Promise<Result> | Result,
  ): Promise<Result> {
    const repository = repositoryOf(sessionId)
    const key = repository.commonDir
    const before = queues.get(key)
    const mine = (async () => {
      await before?.catch(() => undefined)
      try {
        return await work(await opened(repository))
      } finally {
        notify()
      }
    })()
    queues.set(key, mine)
    try {
      return await mine
    } finally {
      if (queues.get(key) === mine) queues.delete(key)
    }
  }

  async function withRemote(
    sessionId: string,
    signal: AbortSignal | undefined,
    work: (repository: OpenRepository, run: RemoteRun) => Promise<void>,
  ): Promise<void> {
    try {
      await changing(sessionId, (repository) =>
        work(repository, {
          ...(signal && { signal }),
          onProgress: (line) => void progress.set(sessionId, cutText(line, 200)),
        }),
      )
    } finally {
      progress.delete(sessionId)
    }
  }

  return {
    async summary(sessionId) {
      const repository = findRepository(folderOf(sessionId))
      if (!repository) return { state: 'none' }
      if (readGitTrust(await trustPlace(), repository).state === 'asked') {
        const { branch, commit: hash } = readHead(repository.gitDir)
        return {
          state: 'untrusted',
          ...(branch !== undefined && { branch }),
          ...(hash !== undefined && { commit: hash.slice(0, 8) }),
        }
      }
      const status = await readStatus(await opened(repository))
      const { branch, commit: hash, ahead, behind, staged, unstaged, conflicts, hidden, operation } = status
      const paths = new Set([...staged, ...unstaged, ...conflicts].map(({ path }) => path))
      const summary: GitSummary = { state: 'ready', changed: paths.size + hidden }
      if (branch !== undefined) summary.branch = branch
      if (hash !== undefined) summary.commit = hash.slice(0, 8)
      if (ahead !== undefined) summary.ahead = ahead
      if (behind !== undefined) summary.behind = behind
      if (conflicts.length > 0) summary.conflicts = conflicts.length
      if (operation) summary.operation = operation.kind
      return summary
    },
    async trustView(sessionId) {
      return readGitTrust(await trustPlace(), repositoryOf(sessionId))
    },
    async trust(sessionId, hash) {
      const trace = await deps.agentTrace()
      if (trace !== undefined) throw new CodedError('git.not_user', `Only you can trust a repository, but ${trace}.`)
      const repository = repositoryOf(sessionId)
      const place = await trustPlace()
      writeGitTrust(place, repository, hash, now())
      notify()
      return readGitTrust(place, repository)
    },
    trusted: async () => trustedRepositories(home),
    async forgetTrust(repository) {
      const trace = await deps.agentTrace()
      if (trace !== undefined)
        throw new CodedError('git.not_user', `Only you can decide which repositories to trust, but ${trace}.`)
      forgetGitTrust(home, repository)
      notify()
    },
    async init(sessionId) {
      const folder = folderOf(sessionId)
      if (findRepository(folder)) throw new CodedError('git.exists', `${folder} is in a repository already.`)
      const run = await runner()
      await run({ args: ['init', '--quiet'], level: 'trusted', folder, write: true })
      notify()
    },
    status: (sessionId) =>
      reading(sessionId, async (repository) => {
        const status = await readStatus(repository)
        if (!status.hasSubmodules) return status
        const { submodules, unread } = await submoduleChanges(repository, (folder) => openToRead(deps, folder))
        return {
          ...status,
          ...(submodules.length > 0 && { submodules }),
          ...(unread > 0 && { submodulesUnread: unread }),
        }
      }),
    diff: (sessionId, file) => reading(sessionId, (repository) => fileDiff(repository, file)),
    stage: (sessionId, paths) =>
      changing(sessionId, (repository) => (paths === 'all' ? stageAll(repository) : stage(repository, paths))),
    unstage: (sessionId, paths) =>
      changing(sessionId, (repository) => (paths === 'all' ? unstageAll(repository) : unstage(repository, paths))),
    discard: (sessionId, paths) => changing(sessionId, (repository) => discard(repository, paths, kept)),
    stageHunks: (sessionId, change) => changing(sessionId, (repository) => stageHunks(repository, change)),
    unstageHunks: (sessionId, change) => changing(sessionId, (repository) => unstageHunks(repository, change)),
    discardHunks: (sessionId, change) => changing(sessionId, (repository) => discardHunks(repository, change, kept)),
    kept: async (sessionId) => kept.list(repositoryOf(sessionId)),
    restoreKept: (sessionId, id) => changing(sessionId, (repository) => kept.restore(repository, id)),
    commit: (sessionId, request, signal) => changing(sessionId, (repository) => commit(repository, request, signal)),
    lastMessage: (sessionId) => reading(sessionId, lastMessage),
    draftMessage: (sessionId, signal) => reading(sessionId, (repository) => deps.draft(sessionId, repository, signal)),
    branches: (sessionId) => reading(sessionId, listBranches),
    createBranch: (sessionId, branch) => changing(sessionId, (repository) => createBranch(repository, branch)),
    switch: (sessionId, to) => changing(sessionId, (repository) => switchTo(repository, to)),
    renameBranch: (sessionId, name, to) => changing(sessionId, (repository) => renameBranch(repository, name, to)),
    deleteBranch: (sessionId, name, force) =>
      changing(sessionId, (repository) => deleteBranch(repository, name, force)),
    merge: (sessionId, from) => changing(sessionId, (repository) => merge(repository, from)),
    cherryPick: (sessionId, hash) => changing(sessionId, (repository) => cherryPick(repository, hash)),
    tags: (sessionId) => reading(sessionId, listTags),
    createTag: (sessionId, tag) => changing(sessionId, (repository) => createTag(repository, tag)),
    deleteTag: (sessionId, name) => changing(sessionId, (repository) => deleteTag(repository, name)),
    restoreTag: (sessionId, tag) => changing(sessionId, (repository) => restoreTag(repository, tag)),
    pushTag: (sessionId, name, signal) =>
      withRemote(sessionId, signal, (repository, run) => pushTag(repository, name, run)),
    stashes: (sessionId) => reading(sessionId, listStashes),
    saveStash: (sessionId, request) => changing(sessionId, (repository) => saveStash(repository, request)),
    applyStash: (sessionId, hash, drop) =>
      changing(sessionId, (repository) => (drop ? popStash(repository, hash) : applyStash(repository, hash))),
    dropStash: (sessionId, hash) => changing(sessionId, (repository) => dropStash(repository, hash)),
    restoreStash: (sessionId, stash) => changing(sessionId, (repository) => restoreStash(repository, stash)),
    fetch: (sessionId, remote, signal) =>
      withRemote(sessionId, signal, (repository, run) => fetchRemote(repository, remote, run)),
    pull: (sessionId, way, signal) => withRemote(sessionId, signal, (repository, run) => pull(repository, way, run)),
    push: (sessionId, request, signal) =>
      withRemote(sessionId, signal, (repository, run) => push(repository, request, run)),
    progress: (sessionId) => progress.get(sessionId),
    log: (sessionId, request) => reading(sessionId, (repository) => readLog(repository, request)),
    commitDetails: (sessionId, hash) => reading(sessionId, (repository) => commitDetails(repository, hash)),
    commitDiff: (sessionId, file) => reading(sessionId, (repository) => commitFileDiff(repository, file)),
    blame: (sessionId, file, signal) =>
      reading(sessionId, (repository) =>
        blame(repository, pathInRepository(repository.top, folderOf(sessionId), file), signal),
      ),
    conflictFile: (sessionId, path) => reading(sessionId, (repository) => conflictsIn(repository, path)),
    resolvePart: (sessionId, choice) => changing(sessionId, (repository) => resolvePart(repository, choice, kept)),
    takeSide: (sessionId, choice) => changing(sessionId, (repository) => takeSide(repository, choice, kept)),
    markResolved: (sessionId, paths) => changing(sessionId, (repository) => markResolved(repository, paths)),
    continueOperation: (sessionId) => changing(sessionId, continueOperation),
    abortOperation: (sessionId) => changing(sessionId, (repository) => abortOperation(repository, kept)),
    pullRequest: async (sessionId) => {
      const env = await deps.env()
      return reading(sessionId, (repository) => pullRequestOf(repository, env))
    },
    createPullRequest: async (sessionId, request, signal) => {
      const env = await deps.env()
      return reading(sessionId, (repository) => createPullRequest(repository, request, env, signal))
    },
  }
}
