import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { TextMatch, TextQuery } from '../../../../shared/model/project/file-view'
import { failureFrom } from '../../../client/failure-from'
import { useClient } from '../../../state/page/queries'

export interface FindState {
  query: TextQuery
  setQuery(change: Partial<TextQuery>): void
  /** All matches in the file. */
  count: number
  /** The current match, from 1; 0: none. */
  position: number
  current: TextMatch | undefined
  byLine: ReadonlyMap<number, readonly TextMatch[]>
  isBusy: boolean
  problem: string | undefined
  /** Goes to the next or previous match, and returns it. */
  step(by: 1 | -1): TextMatch | undefined
}

const NOTHING: ReadonlyMap<number, readonly TextMatch[]> = new Map()
const START: TextQuery = { text: '', caseSensitive: false, wholeWords: false, regularExpression: false }

/** Finds text in a file: the engine searches all of it. `firstLine`: matches from this line on come first. */
export function useFindInFile(
  file: { sessionId: string; path: string; version: string | undefined },
  isOpen: boolean,
  firstLine: () => number,
): FindState {
  const client = useClient()
  const [query, setQuery] = useState(START)
  const [chosen, setChosen] = useState<TextMatch>()
  const { sessionId, path, version } = file
  const { data, error, isFetching } = useQuery({
    queryKey: ['find-in-file', sessionId, path, version, query],
    queryFn: () => client.file.search({ sessionId, path, ...query }),
    enabled: isOpen && query.text !== '',
    placeholderData: (before) => (query.text === '' ? undefined : before),
    structuralSharing: false,
    gcTime: 10_000,
    retry: false,
  })
  const matches = useMemo(() => (isOpen && query.text !== '' ? (data?.matches ?? []) : []), [isOpen, query.text, data])
  const byLine = useMemo(() => {
    if (matches.length === 0) return NOTHING
    const lines = new Map<number, TextMatch[]>()
    for (const match of matches) {
      const known = lines.get(match.line)
      if (known) known.push(match)
      else lines.set(match.line, [match])
    }
    return lines
  }, [matches])
  // Results for the latest query may arrive after a step, and a changed file is searched again.
  const index = useMemo(
    () => matches.findIndex(({ line, at }) => line === chosen?.line && at === chosen.at),
    [matches, chosen],
  )
  return {
    query,
    setQuery: (change) => setQuery((now) => ({ ...now, ...change })),
    count: query.text === '' ? 0 : (data?.count ?? 0),
    position: index + 1,
    current: matches[index],
    byLine,
    isBusy: isFetching,
    problem: error ? failureFrom(error).message : query.text === '' ? undefined : data?.problem,
    step(by) {
      if (matches.length === 0) return undefined
      const line = firstLine()
      const start = matches.findIndex((match) => match.line >= line)
      const next =
        index >= 0
          ? (index + by + matches.length) % matches.length
          : by === 1
            ? Math.max(0, start)
            : (start <= 0 ? matches.length : start) - 1
      setChosen(matches[next])
      return matches[next]
    },
  }
}
