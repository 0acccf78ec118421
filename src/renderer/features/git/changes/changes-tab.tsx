import { plural } from '../../../../shared/language/plural'
import { Check } from 'lucide-react'
import {
  useEffect,
  useMemo,
  useRef,
  useState,
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from 'react'
import { VList, type VListHandle } from 'virtua'
import {
  gitPathText,
  type GitChange,
  type GitStatus,
  type GitSubmoduleChanges,
} from '../../../../shared/model/project/git'
import { Button } from '../../../ui/button'
import { EmptyState } from '../../../ui/notice'
import { ChangeRow, type ChangeSide } from './change-row'
import { CommitBox } from './commit-box'
import { ConflictRow } from './conflict-row'
import { useGit } from '../git-context'

type Row =
  | { key: string; kind: 'head'; title: string; count: number; action?: ReactNode }
  | { key: string; kind: 'change'; change: GitChange; side: ChangeSide }
  | { key: string; kind: 'conflict'; conflict: GitStatus['conflicts'][number] }
  | { key: string; kind: 'note'; text: string }

/** Conflicts, staged and other changes, and the form that commits them. */
export function ChangesTab({ status }: { status: GitStatus }) {
  const { sessionId, run, busy } = useGit()
  const list = useRef<VListHandle>(null)
  const box = useRef<HTMLDivElement>(null)
  const [focused, setFocused] = useState<string>()
  // Rows out of view are not in the document.
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set())
  const expand = (key: string, on: boolean): void => {
    const next = new Set(expanded)
    if (on) next.add(key)
    else next.delete(key)
    setExpanded(next)
  }
  const { staged, unstaged, conflicts, hidden, submodules, submodulesUnread = 0 } = status
  const rows = useMemo((): Row[] => {
    const all = (doing: string, work: 'stage' | 'unstage'): ReactNode => (
      <Button
        size="small"
        variant="quiet"
        disabled={busy !== undefined}
        onClick={() => void run(doing, (git) => git[work]({ sessionId, paths: 'all' }))}
      >
        {work === 'stage' ? 'Stage all' : 'Unstage all'}
      </Button>
    )
    return [
      ...(conflicts.length > 0
        ? [{ key: 'conflicts', kind: 'head' as const, title: 'Conflicts', count: conflicts.length }]
        : []),
      ...conflicts.map((conflict) => ({ key: `! ${conflict.path}`, kind: 'conflict' as const, conflict })),
      ...(staged.length > 0
        ? [
            {
              key: 'staged',
              kind: 'head' as const,
              title: 'Staged',
              count: staged.length,
              action: all('Unstaging', 'unstage'),
            },
          ]
        : []),
      ...staged.map((change) => ({
        key: `+ ${change.path}`,
        kind: 'change' as const,
        change,
        side: 'staged' as const,
      })),
      ...(unstaged.length > 0
        ? [
            {
              key: 'unstaged',
              kind: 'head' as const,
              title: 'Not staged',
              count: unstaged.length,
              action: all('Staging', 'stage'),
            },
          ]
        : []),
      ...unstaged.map((change) => ({
        key: `- ${change.path}`,
        kind: 'change' as const,
        change,
        side: change.kind === 'untracked' ? ('untracked' as const) : ('unstaged' as const),
      })),
      ...(hidden > 0
        ? [
            {
              key: 'hidden',
              kind: 'note' as const,
              text:
                `And ${hidden.toLocaleString()} ` +
                `${plural(hidden, 'more file that is', 'more files that are')} not listed.`,
            },
          ]
        : []),
      ...submoduleRows(submodules, submodulesUnread),
    ]
  }, [staged, unstaged, conflicts, hidden, submodules, submodulesUnread, sessionId, run, busy])
  const reachable = useReachable(rows, focused)
  const keepFocus = useKeptFocus(box)

  const onKeyDown = (event: KeyboardEvent): void => {
    if (!(event.target instanceof HTMLElement) || !event.target.matches('[data-row]')) return
    const files = rows.flatMap((row, index) => (isFile(row) ? [{ key: row.key, index }] : []))
    const from = files.findIndex(({ key }) => key === reachable)
    const to = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: files.length - 1 }[event.key]
    const next = to === undefined ? undefined : files[to]
    if (!next) return
    event.preventDefault()
    setFocused(next.key)
    list.current?.scrollToIndex(next.index, { align: 'nearest' })
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>('[data-row][tabindex="0"]')?.focus())
  }

  if (rows.length === 0)
    return (
      <>
        <EmptyState icon={<Check aria-hidden />} title="No changes" className="m-auto">
          The working tree is clean.
        </EmptyState>
        {status.commit !== undefined && <CommitBox status={status} />}
      </>
    )
  return (
    <>
      <div ref={box} role="presentation" className="min-h-[112px] flex-1" onKeyDown={onKeyDown} {...keepFocus}>
        <VList ref={list} role="list" aria-label="Changes" data={rows} item="div">
          {(row) => (
            <div role="listitem" key={row.key}>
              {row.kind === 'head' ? (
                <div className="flex h-[32px] items-center gap-2 px-3">
                  <h3 className="flex-1 text-tiny font-semibold text-ink-3">
                    {row.title} <span className="tabular-nums">{row.count.toLocaleString()}</span>
                  </h3>
                  {row.action}
                </div>
              ) : row.kind === 'note' ? (
                <p className="px-3 py-2 text-small text-ink-3">{row.text}</p>
              ) : row.kind === 'conflict' ? (
                <ConflictRow
                  conflict={row.conflict}
                  open={expanded.has(row.key)}
                  onOpen={(on) => expand(row.key, on)}
                  reachable={row.key === reachable}
                  onFocus={() => setFocused(row.key)}
                />
              ) : (
                <ChangeRow
                  change={row.change}
                  side={row.side}
                  open={expanded.has(row.key)}
                  onOpen={(on) => expand(row.key, on)}
                  reachable={row.key === reachable}
                  onFocus={() => setFocused(row.key)}
                />
              )}
            </div>
          )}
        </VList>
      </div>
      <CommitBox status={status} />
    </>
  )
}

/** The row that Tab reaches: the focused one, or the one that replaced it. */
function useReachable(rows: readonly Row[], focused: string | undefined): string | undefined {
  const [place, setPlace] = useState(0)
  const files = rows.filter(isFile)
  const at = files.findIndex(({ key }) => key === focused)
  if (at >= 0 && at !== place) setPlace(at)
  return at >= 0 ? focused : files[Math.min(place, files.length - 1)]?.key
}

/** Keeps the focus in the list when the focused row disappears because it was staged or discarded. */
function useKeptFocus(box: RefObject<HTMLDivElement | null>) {
  const had = useRef(false)
  useEffect(() => {
    if (!had.current) return undefined
    const frame = requestAnimationFrame(() => {
      if (document.activeElement !== document.body) return
      box.current?.querySelector<HTMLElement>('[data-row][tabindex="0"]')?.focus()
    })
    return () => cancelAnimationFrame(frame)
  })
  return {
    onFocus: () => void (had.current = true),
    onBlur: (event: FocusEvent) => {
      if (event.relatedTarget && !event.currentTarget.contains(event.relatedTarget)) had.current = false
    },
  }
}

/** Changes inside submodules: they are committed there, in a separate session. */
function submoduleRows(submodules: readonly GitSubmoduleChanges[] = [], unread: number): Row[] {
  if (submodules.length + unread === 0) return []
  return [
    { key: 'submodules', kind: 'head', title: 'Uncommitted in submodules', count: submodules.length },
    ...submodules.map(({ path, changed, untracked, problem }): Row => {
      const counts = [
        ...(changed > 0 ? [`${changed.toLocaleString()} changed ${plural(changed, 'file', 'files')}`] : []),
        ...(untracked > 0 ? [`${untracked.toLocaleString()} new ${plural(untracked, 'file', 'files')}`] : []),
      ]
      return { key: `s ${path}`, kind: 'note', text: `${gitPathText(path)}: ${problem ?? counts.join(', ')}` }
    }),
    ...(unread > 0
      ? [
          {
            key: 'submodules unread',
            kind: 'note' as const,
            text: `${unread.toLocaleString()} more ${plural(unread, 'submodule is', 'submodules are')} not read.`,
          },
        ]
      : []),
  ]
}

function isFile({ kind }: Row): boolean {
  return kind === 'change' || kind === 'conflict'
}
