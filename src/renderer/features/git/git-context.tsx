import { useQueryClient } from '@tanstack/react-query'
import { createContext, useCallback, useContext, useMemo, useRef, useState, type ReactNode } from 'react'
import type { Failure } from '../../../shared/errors'
import { gitPathText, type GitSwitched, type GitUndo } from '../../../shared/model/project/git'
import type { TrestleClient } from '../../../shared/contract'
import { failureFrom } from '../../client/failure-from'
import { useClient } from '../../state/page/queries'
import { showFailureToast, showToast, showUserToast } from '../../state/page/toasts-state'

type Git = TrestleClient['git']

interface GitContextValue {
  sessionId: string
  /** The action in progress, such as "Pushing". */
  busy: string | undefined
  /** Why the last action failed. */
  failure: Failure | undefined
  dismiss(): void
  /** Runs one action at a time on the repository, and shows why it failed. `done`: shown on success. */
  run(doing: string, work: (git: Git, signal: AbortSignal) => Promise<unknown>, done?: string): Promise<boolean>
  cancel(): void
  /** Checks out a branch or commit, and offers to keep a commit that is then on no branch. */
  switchTo(to: string, done: string): Promise<void>
  /** Reports what was removed, with a button that restores it. */
  undoable(title: string, undo: GitUndo): void
}

interface RunningAction {
  controller: AbortController
  ended: Promise<void>
}

const GitContext = createContext<GitContextValue | undefined>(undefined)

/** The actions of one pane. */
export function GitProvider({ sessionId, children }: { sessionId: string; children: ReactNode }) {
  const client = useClient()
  const queryClient = useQueryClient()
  const [busy, setBusy] = useState<string>()
  const [failure, setFailure] = useState<Failure>()
  const running = useRef<RunningAction>(undefined)
  const run = useCallback(
    async (
      doing: string,
      work: (git: Git, signal: AbortSignal) => Promise<unknown>,
      done?: string,
    ): Promise<boolean> => {
      // The last action may still be finishing when its result is already on screen.
      while (running.current) await running.current.ended
      const controller = new AbortController()
      const { promise: ended, resolve } = Promise.withResolvers<void>()
      running.current = { controller, ended }
      setBusy(doing)
      setFailure(undefined)
      const worked = await work(client.git, controller.signal).then(
        () => true,
        (error: unknown) => {
          if (!controller.signal.aborted) setFailure(failureFrom(error))
          return false
        },
      )
      if (worked && done !== undefined) showToast(done)
      running.current = undefined
      resolve()
      setBusy(undefined)
      await queryClient.invalidateQueries({ queryKey: [['git']] })
      return worked
    },
    [client, queryClient],
  )
  const value = useMemo<GitContextValue>(
    () => ({
      sessionId,
      busy,
      failure,
      run,
      dismiss: () => setFailure(undefined),
      cancel: () => running.current?.controller.abort(),
      switchTo: async (to, done) => {
        let left: GitSwitched['left']
        const worked = await run('Switching', async (git) => {
          left = (await git.switch({ sessionId, to })).left
        })
        if (!worked) return
        if (!left) return showToast(done)
        const { hash, subject } = left
        const name = `kept-${hash.slice(0, 8)}`
        showUserToast(done, `Commit ${hash.slice(0, 8)} “${subject}” is on no branch.`, {
          label: 'Keep as a branch',
          run: () =>
            void run(
              'Creating',
              (git) => git.createBranch({ sessionId, name, from: hash, checkout: false }),
              `Created branch ${name}`,
            ),
        })
      },
      undoable: (title, { kept }) => {
        if (kept === undefined) return showToast(title)
        const restore = (): void => {
          client.git
            .restoreKept({ sessionId, id: kept })
            .then(({ paths }) => {
              showToast(paths.length === 1 ? `Restored ${gitPathText(paths[0]!)}` : `Restored ${paths.length} files`)
              return queryClient.invalidateQueries({ queryKey: [['git']] })
            })
            .catch(showFailureToast)
        }
        return showToast(title, { label: 'Undo', run: restore })
      },
    }),
    [sessionId, busy, failure, run, client, queryClient],
  )
  return <GitContext value={value}>{children}</GitContext>
}

export function useGit(): GitContextValue {
  const value = useContext(GitContext)
  if (!value) throw new Error('GitProvider is missing above this component')
  return value
}
