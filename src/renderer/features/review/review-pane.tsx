import './review.css'
import { FileDiff } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
import type { ReviewedScope, ReviewFile } from '../../../shared/model/session/review'
import { browserStorage } from '../../state/page/browser-storage'
import { useKeyDown } from '../../state/page/escape'
import { useClient } from '../../state/page/queries'
import { showFailureToast } from '../../state/page/toasts-state'
import { useSessionChanges, useSessionHeader, useSessionState } from '../../state/session/session-view'
import { Button } from '../../ui/button'
import { Skeleton } from '../../ui/loading'
import { EmptyState, ErrorNote } from '../../ui/notice'
import { focusUnlessMoved } from '../../ui/overlay/return-focus'
import { askAbout, linesOfChange, sendComments, undoInReview } from './review-actions'
import { ReviewBar } from './review-bar'
import { changesIn, isViewed, ReviewBlocks } from './review-blocks'
import { ReviewFiles } from './review-files'
import { ReviewHead } from './review-head'
import { ReviewScroller, type CurrentChange, type ScrollerHandle } from './diff/review-scroller'
import { ReviewStore, type ReviewState } from './review-store'
import { reviewTotals } from './review-totals'
import { useReviewComments } from './use-review-comments'
import { useStable } from './use-stable'

const SPLIT_KEY = 'trestle.review-split'

export interface ReviewPaneProps {
  sessionId: string
  scope: ReviewedScope
}

/** All changes of a session, of a turn or against a branch, in one scroll area: to read, comment, keep and undo. */
export function ReviewPane({ sessionId, scope }: ReviewPaneProps) {
  return <Review key={`${sessionId} ${JSON.stringify(scope)}`} sessionId={sessionId} scope={scope} />
}

function Review({ sessionId, scope }: ReviewPaneProps) {
  const client = useClient()
  const [review] = useState(() => new ReviewStore(client, sessionId, scope))
  const parts = useStore(
    review.store,
    useShallow(({ list, failure, diffs, marks, draft }: ReviewState) => ({ list, failure, diffs, marks, draft })),
  )
  const { list, failure, diffs, marks } = parts
  const header = useSessionHeader(sessionId)
  const changes = useSessionChanges(sessionId)
  const latestTurn = useSessionState(sessionId, ({ view }) => view?.items.at(-1)?.turnId)
  const busy = header?.turnId !== undefined
  // While a turn runs, only edits trigger a reload; afterwards any event may.
  const version = busy ? `turn ${changes.length}` : `idle ${header?.seq}`
  const [isSplit, setSplit] = useState(() => browserStorage.read(SPLIT_KEY) === 'yes')
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set())
  const [inJson, setInJson] = useState<ReadonlySet<string>>(new Set())
  const [current, setCurrent] = useState<CurrentChange>()
  const [isSending, setSending] = useState(false)
  const area = useRef<HTMLElement>(null)
  const scroller = useRef<ScrollerHandle>(null)
  const [maker] = useState(() => new ReviewBlocks())

  // When the tab is hidden, effects are cleaned up; they run again with the same store when it is shown.
  useEffect(() => {
    review.open()
    return () => review.close()
  }, [review])
  useEffect(() => {
    void review.reload()
    const again = (): void => void review.reload()
    window.addEventListener('focus', again)
    return () => window.removeEventListener('focus', again)
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- The version changes when files may have changed.
  }, [review, version])

  const blocks = useMemo(
    () =>
      maker.make(
        parts,
        isSplit,
        (path) => unfolded.has(path),
        (path) => inJson.has(path),
      ),
    [maker, parts, isSplit, unfolded, inJson],
  )
  // Computed only for keys: a large review has tens of thousands of changes.
  const all = useMemo(() => (current ? changesIn(blocks) : []), [blocks, current])
  const files = list?.files ?? []
  const fileOf = (path: string): ReviewFile | undefined => files.find((file) => file.path === path)
  const totals = useMemo(() => reviewTotals(list?.files ?? [], diffs), [list, diffs])

  const refocus = (): void => {
    requestAnimationFrame(() => {
      focusUnlessMoved(scroller.current, null)
    })
  }
  const { comments, comment, openDraft } = useReviewComments({ client, review, scroller, refocus })
  const undo = async (path: string, change?: string): Promise<void> => {
    const file = fileOf(path)
    if (!file || busy) return
    await undoInReview(client, review, [{ path, key: file.key, ...(change !== undefined && { ids: [change] }) }])
    refocus()
  }
  const setViewed = (file: ReviewFile, viewed: boolean): void => {
    setUnfolded((now) => without(now, file.path))
    run(review.setViewed(file, viewed))
    refocus()
  }
  const keptIn = (path: string): readonly string[] => marks.kept[path] ?? []
  const changesOf = (path: string): string[] =>
    diffs.get(path)?.hunks.flatMap(({ changes: all }) => all.map(({ id }) => id)) ?? []
  const isKept = (path: string): boolean => {
    const all = changesOf(path)
    return all.length > 0 && all.every((id) => keptIn(path).includes(id))
  }
  const keepFile = (file: ReviewFile): void => {
    const all = changesOf(file.path)
    const keeps = !isKept(file.path)
    if (all.length > 0) run(review.setKept(file.path, all, keeps))
    setViewed(file, keeps)
  }
  const ask = (path: string, change: string): void => {
    const [file, diff] = [fileOf(path), diffs.get(path)]
    if (file && diff) askAbout(sessionId, file, diff, change)
  }
  const lines = useStable({
    expand: (path: string, hunk: number, where: 'up' | 'down' | 'all') => run(review.expand(path, hunk, where)),
    reveal: (path: string) => run(review.reveal(path)),
    showAs: (path: string, asJson: boolean) =>
      setInJson((now) => (asJson ? new Set(now).add(path) : without(now, path))),
    comment,
    keep: (path: string, change: string, kept: boolean) => {
      run(review.setKept(path, [change], kept))
      refocus()
    },
    undo: (path: string, change: string) => void undo(path, change),
    ask,
    show: (path: string, change: string) => setCurrent({ path, change }),
  })
  const topPath = (): string | undefined => review.store.getState().top
  const goTo = (by: 1 | -1): void => {
    const every = changesIn(blocks)
    const at = every.findIndex((one) => one.path === current?.path && one.change === current.change)
    const from =
      at >= 0
        ? at + by
        : by > 0
          ? firstFrom(
              every,
              blocks.map(({ id }) => id),
              topPath(),
            )
          : every.length - 1
    const next = every[Math.min(every.length - 1, Math.max(0, from))]
    if (!next) return
    setCurrent(next)
    scroller.current?.show(next.path, next.row)
  }
  const goToFile = (by: 1 | -1): void => {
    const at = blocks.findIndex(({ id }) => id === (current?.path ?? topPath()))
    const next = blocks[Math.min(blocks.length - 1, Math.max(0, at + by))]
    if (next) showFile(next.id)
  }
  const showFile = (path: string): void => {
    const first = changesIn(blocks.filter(({ id }) => id === path))[0]
    setCurrent(first)
    scroller.current?.show(path)
  }
  const chooseSplit = (next: boolean): void => {
    browserStorage.write(SPLIT_KEY, next ? 'yes' : 'no')
    setSplit(next)
  }
  const inList = useStable({ show: showFile, viewed: setViewed })
  useKeyDown(area, (event) => {
    const target = event.target as HTMLElement
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest('input, textarea, select, [role="menu"]'))
      return
    const path = current?.path ?? topPath()
    const file = path === undefined ? undefined : fileOf(path)
    const keys: Record<string, () => void> = {
      n: () => goTo(1),
      j: () => goTo(1),
      p: () => goTo(-1),
      k: () => goTo(-1),
      ']': () => goToFile(1),
      '[': () => goToFile(-1),
      v: () => file && setViewed(file, !isViewed(marks, file)),
      u: () => current && void undo(current.path, current.change),
      U: () => path !== undefined && void undo(path),
      a: () => current && lines.keep(current.path, current.change, !keptIn(current.path).includes(current.change)),
      A: () => file && keepFile(file),
      q: () => current && ask(current.path, current.change),
      s: () => chooseSplit(!isSplit),
      c: () => {
        const diff = current && diffs.get(current.path)
        const place = diff && linesOfChange(diff, current.change)
        if (place) openDraft({ path: current.path, text: '', at: place.endLine, ...place })
      },
    }
    const act = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined
    if (!act) return
    event.preventDefault()
    act()
  })
  const onMove = useCallback(
    (path: string | undefined, visible: readonly string[]): void => review.look(visible, path),
    [review],
  )
  const send = async (): Promise<void> => {
    setSending(true)
    await sendComments(client, review)
    setSending(false)
  }
  const position = all.findIndex((one) => one.path === current?.path && one.change === current.change)

  return (
    <section ref={area} aria-label="Review" className="review flex min-h-0 flex-1 flex-col">
      <ReviewBar
        sessionId={sessionId}
        scope={scope}
        latestTurn={latestTurn}
        files={files}
        totals={totals}
        isSplit={isSplit}
        comments={marks.comments.length}
        busy={busy}
        isSending={isSending}
        onSplit={chooseSplit}
        onSend={() => void send()}
        onUndoAll={() =>
          void undoInReview(
            client,
            review,
            files.map(({ path, key }) => ({ path, key })),
          ).then(refocus)
        }
        onReload={() => void review.reload()}
        onShow={showFile}
      />
      {failure && (
        <ErrorNote
          failure={failure}
          className="m-3"
          actions={
            <Button size="small" onClick={() => void review.reload()}>
              Try again
            </Button>
          }
        />
      )}
      {list?.note !== undefined && <p className="flex-none px-3 py-1.5 text-small text-ink-3">{list.note}</p>}
      {!list && !failure && <Loading />}
      {list && files.length === 0 && (
        <EmptyState icon={<FileDiff aria-hidden />} title="No changes">
          {EMPTY[scope.kind]}
        </EmptyState>
      )}
      {files.length > 0 && (
        <div className="flex min-h-0 flex-1">
          <ReviewFiles review={review} onShow={inList.show} onViewed={inList.viewed} />
          <ReviewScroller
            ref={scroller}
            blocks={blocks}
            isSplit={isSplit}
            current={current}
            busy={busy}
            lines={lines}
            comments={comments}
            onMove={onMove}
            renderHead={(block) => (
              <ReviewHead
                block={block}
                isViewed={isViewed(marks, block.file)}
                isFolded={block.rows.length === 0}
                isKept={isKept(block.id)}
                busy={busy}
                onFold={() => {
                  if (block.rows.length === 0) setUnfolded((now) => new Set(now).add(block.id))
                  else setViewed(block.file, true)
                }}
                onViewed={(viewed) => setViewed(block.file, viewed)}
                onKeep={() => keepFile(block.file)}
                onUndo={() => void undo(block.id)}
              />
            )}
          />
        </div>
      )}
      <p className="sr-only" role="status">
        {position >= 0 && `Change ${position + 1} of ${all.length}, ${fileOf(all[position]!.path)?.name ?? ''}`}
      </p>
    </section>
  )
}

const EMPTY = {
  session: 'Files that the agent changes, with its tools or by commands, appear here.',
  turn: 'This turn has changed no files, or its changes have been undone.',
  branch: 'No differences from where the branch started.',
}

function Loading() {
  return (
    <div className="space-y-3 p-4" aria-busy>
      <Skeleton className="w-1/2" />
      <Skeleton className="w-2/3" />
      <Skeleton className="w-1/3" />
    </div>
  )
}

function run(work: Promise<unknown>): void {
  work.catch(showFailureToast)
}

function without(set: ReadonlySet<string>, entry: string): ReadonlySet<string> {
  const next = new Set(set)
  next.delete(entry)
  return next
}

/** The first change in the file at the top of the screen, or after it. */
function firstFrom(all: readonly { path: string }[], paths: readonly string[], top: string | undefined): number {
  const order = new Map(paths.map((path, n) => [path, n]))
  const from = order.get(top ?? '') ?? 0
  const found = all.findIndex(({ path }) => (order.get(path) ?? 0) >= from)
  return found < 0 ? all.length - 1 : found
}
