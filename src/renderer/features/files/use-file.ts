import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import type { FileView } from '../../../shared/model/project/file-view'
import { failureFrom } from '../../client/failure-from'
import { useClient } from '../../state/page/queries'
import { TextLines } from './content/text-lines'

/** How often to check whether the file has changed, in ms. */
const POLL_MS = 1_500

export interface OpenFile {
  view: FileView | undefined
  text: TextLines | undefined
  /** Why it cannot be shown, or no longer can: a sentence. */
  problem: string | undefined
  /** Checks the file again now. */
  reload: () => void
}

/** The current content of a file: it is read again when it changes, and the old content stays until then. */
export function useFile(sessionId: string, path: string): OpenFile {
  const client = useClient()
  const before = useRef<TextLines>(undefined)
  const {
    data: view,
    error,
    refetch,
    isFetching,
  } = useQuery({
    queryKey: ['file-view', sessionId, path],
    queryFn: () => client.file.view({ sessionId, path }),
    placeholderData: keepPreviousData,
    structuralSharing: false,
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })
  const { data: now, error: gone } = useQuery({
    queryKey: ['file-version', sessionId, path],
    queryFn: () => client.file.version({ sessionId, path }),
    refetchInterval: POLL_MS,
    enabled: view !== undefined || error !== null,
    gcTime: 0,
    retry: false,
  })
  const shownVersion = view?.version
  useEffect(() => {
    if (now && !isFetching && (now.version !== shownVersion || error)) void refetch()
    // Only a new result of the check triggers another read.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [now])
  const text = useMemo(() => {
    if (!view?.text) return undefined
    const fetch = (from: number, count: number) => client.file.lines({ sessionId, path, from, count })
    return new TextLines(view.text, view.version, fetch, before.current)
  }, [client, sessionId, path, view])
  useEffect(() => {
    before.current = text
  }, [text])
  const failure = error ?? gone
  return {
    view,
    text,
    problem: failure ? failureFrom(failure).message.replace(/^path: /, '') : undefined,
    reload: () => void refetch(),
  }
}
