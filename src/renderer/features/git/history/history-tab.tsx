import { visibleLine } from '../../../../shared/visible-text'
import { useInfiniteQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { useDeferredValue, useMemo, useRef, useState, type KeyboardEvent } from 'react'
import { VList, type VListHandle } from 'virtua'
import { commitGraph, graphWidth } from '../../../../shared/model/project/commit-graph'
import type { GitCommit } from '../../../../shared/model/project/git'
import { relativeTime, useNowEachMinute } from '../../../format/relative-time'
import { useClient } from '../../../state/page/queries'
import { Button } from '../../../ui/button'
import { cx } from '../../../ui/cx'
import { CONTROL_CLASS } from '../../../ui/form/field'
import { EmptyState } from '../../../ui/notice'
import { CommitView } from './commit-view'
import { useGit } from '../git-context'
import { GraphCell } from './graph-cell'
import { LoadError } from '../../../ui/load-error'

const PAGE = 200
const MAX_LANES = 12

/** The history as a graph, loaded in pages while scrolling; Enter shows a commit. */
export function HistoryTab() {
  const client = useClient()
  const { sessionId } = useGit()
  const [all, setAll] = useState(false)
  const [words, setWords] = useState('')
  const [shown, setShown] = useState<string>()
  const [focused, setFocused] = useState(0)
  const list = useRef<VListHandle>(null)
  const box = useRef<HTMLDivElement>(null)
  const now = useNowEachMinute()
  const query = useDeferredValue(words.trim())
  const log = useInfiniteQuery({
    queryKey: [['git', 'log'], sessionId, all, query],
    queryFn: ({ pageParam, signal }) =>
      client.git.log({ sessionId, all, skip: pageParam, limit: PAGE, ...(query !== '' && { query }) }, { signal }),
    initialPageParam: 0,
    getNextPageParam: (last, pages) =>
      last.more ? pages.reduce((sum, { commits }) => sum + commits.length, 0) : undefined,
    retry: false,
  })
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage } = log
  const commits = useMemo(() => data?.pages.flatMap((page) => page.commits) ?? [], [data])
  // A search omits the commits in between, so there is no graph.
  const rows = useMemo(() => (query === '' ? commitGraph(commits) : []), [commits, query])
  const lanes = Math.min(graphWidth(rows), MAX_LANES)
  const reachable = Math.min(focused, Math.max(0, commits.length - 1))

  const onScroll = (): void => {
    const at = list.current
    if (!at || !hasNextPage || isFetchingNextPage) return
    if (at.scrollOffset + at.viewportSize > at.scrollSize - 1_200) void fetchNextPage()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!(event.target instanceof HTMLElement) || !event.target.matches('[data-commit]')) return
    const to = { ArrowDown: reachable + 1, ArrowUp: reachable - 1, Home: 0, End: commits.length - 1 }[event.key]
    if (to === undefined || !commits[to]) return
    event.preventDefault()
    setFocused(to)
    list.current?.scrollToIndex(to, { align: 'nearest' })
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`[data-commit="${to}"]`)?.focus())
  }

  return (
    <>
      <div className="flex flex-none items-center gap-2 border-b border-line px-2 py-1.5">
        <input
          aria-label="Search commits"
          placeholder="Search messages"
          value={words}
          onChange={(event) => setWords(event.target.value)}
          className={`${CONTROL_CLASS} h-[27px]!`}
        />
        <Button size="small" aria-pressed={all} variant={all ? 'default' : 'quiet'} onClick={() => setAll(!all)}>
          All branches
        </Button>
      </div>
      {error && <LoadError query={log} className="m-3" />}
      {data && commits.length === 0 ? (
        <EmptyState
          icon={<History aria-hidden />}
          title={query === '' ? 'No commits yet' : 'No matching commits'}
          className="m-auto"
        />
      ) : (
        <div ref={box} role="presentation" className="min-h-[112px] flex-1" onKeyDown={onKeyDown}>
          <VList
            ref={list}
            role="list"
            aria-label="History"
            data={commits}
            itemSize={28}
            item="div"
            onScroll={onScroll}
          >
            {(commit, index) => (
              <div role="listitem" key={commit.hash}>
                <CommitRow
                  commit={commit}
                  index={index}
                  now={now}
                  reachable={index === reachable}
                  isShown={commit.hash === shown}
                  graph={rows[index] && <GraphCell row={rows[index]} lanes={lanes} />}
                  onFocus={() => setFocused(index)}
                  onShow={() => setShown(commit.hash === shown ? undefined : commit.hash)}
                />
              </div>
            )}
          </VList>
        </div>
      )}
      {shown !== undefined && (
        <CommitView
          key={shown}
          hash={shown}
          onClose={() => {
            setShown(undefined)
            box.current?.querySelector<HTMLElement>(`[data-commit="${reachable}"]`)?.focus()
          }}
        />
      )}
    </>
  )
}

interface CommitRowProps {
  commit: GitCommit
  index: number
  now: number
  reachable: boolean
  isShown: boolean
  graph: React.ReactNode
  onFocus: () => void
  onShow: () => void
}

function CommitRow({ commit, index, now, reachable, isShown, graph, onFocus, onShow }: CommitRowProps) {
  const { subject, author, at, refs } = commit
  return (
    <button
      type="button"
      data-commit={index}
      tabIndex={reachable ? 0 : -1}
      aria-expanded={isShown}
      onFocus={onFocus}
      onClick={onShow}
      className={cx(
        'flex h-[28px] w-full items-center gap-2 pr-3 pl-2 text-left hover:bg-sunken focus-visible:-outline-offset-2',
        isShown && 'bg-sunken',
      )}
    >
      {graph}
      {refs
        .filter(({ kind }) => kind !== 'head')
        .slice(0, 3)
        .map(({ name, kind }) => (
          <span
            key={`${kind} ${name}`}
            className={cx(
              'max-w-[130px] flex-none truncate rounded-[9px] px-1.5 text-tiny font-semibold',
              kind === 'branch'
                ? 'bg-done-bg text-done-ink'
                : kind === 'tag'
                  ? 'bg-wait-bg text-wait-ink'
                  : 'bg-run-bg text-run-ink',
            )}
          >
            {visibleLine(name)}
          </span>
        ))}
      <span className="min-w-0 flex-1 truncate text-ui">{visibleLine(subject) || '(no message)'}</span>
      <span className="max-w-[110px] flex-none truncate text-small text-ink-3">{author}</span>
      <span className="w-[64px] flex-none text-right text-small text-ink-3 tabular-nums">{relativeTime(at, now)}</span>
    </button>
  )
}
