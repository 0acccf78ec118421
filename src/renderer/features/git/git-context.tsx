import { useQueryClient } from '@tanstack/react-query'
import { createContext, useCallback, useContext, useMemo, useRef, useState, type ReactNode } from 'react'
import type { Failure } from '../../../shared/errors'
import { gitPathText, type GitUndo } from '../../../shared/model/git'
import type { TrestleClient } from '../../../shared/contract'
import { failureFrom } from '../../client/failure-from'
import { useClient } from '../../state/page/queries'
import { showFailureToast, showToast } from '../../state/page/toasts-state'

type Git = TrestleClient['git']

interface GitContextValue {
  sessionId: string
  /** What is being done, such as "Pushing". */
  busy: string | undefined
  /** Why the last action failed. */
  failure: Failure | undefined
  dismiss(): void
  /** Does something in the repository, one at a time, and shows why it failed. True when it worked. */
  run(doing: string, work: (git: Git, signal: AbortSignal) => Promise<unknown>): Promise<boolean>
  cancel(): void
  /** Reports what was removed, with a button that brings it back. */
  undoable(title: string, undo: GitUndo): void
}

const GitContext = createContext<GitContextValue | undefined>(undefined)

/** The actions of one pane. */
export function GitProvider({ sessionId, children }: { sessionId: string; children: ReactNode }) {
  const client = useClient()
  const queryClient = useQueryClient()
  const [busy, setBusy] = useState<string>()
  const [failure, setFailure] = useState<Failure>()
  const running = useRef<AbortController>(undefined)
  const run = useCallback(
    async (doing: string, work: (git: Git, signal: AbortSignal) => Promise<unknown>): Promise<boolean> => {
      if (running.current) return false
      const controller = new AbortController()
      running.current = controller
      setBusy(doing)
      setFailure(undefined)
      try {
        await work(client.git, controller.signal)
        return true
      } catch (error) {
        if (!controller.signal.aborted) setFailure(failureFrom(error))
        return false
      } finally {
        running.current = undefined
        setBusy(undefined)
        await queryClient.invalidateQueries({ queryKey: [['git']] })
      }
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
      cancel: () => running.current?.abort(),
      undoable: (title, { kept }) => {
        const restore = (id: string): void => {
          client.git.restoreKept({ sessionId, id }).then(({ paths }) => {
            showToast(paths.length === 1 ? `Restored ${gitPathText(paths[0]!)}` : `Restored ${paths.length} files`)
            return queryClient.invalidateQueries({ queryKey: [['git']] })
          }, showFailureToast)
        }
        showToast(title, kept === undefined ? undefined : { label: 'Undo', run: () => restore(kept) })
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
