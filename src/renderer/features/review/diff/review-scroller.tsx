import {
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
  type Ref,
} from 'react'
import type { ReviewFile } from '../../../../shared/model/session/review'
import { CommentCard, CommentForm, type CommentActions } from './review-comment'
import { useLineColors } from './line-colors'
import { KeptChange, ReviewGap, ReviewLine, SecretLines, type LineActions } from './review-line'
import type { ReviewRow, ShownDiff } from './review-rows'
import type { ShownHunk } from './shown-hunk'
import { NotebookWays } from '../../../ui/code/diff-view'
import { RowWindow, type Anchor, type Block, type BlockPart } from './row-window'

/** A file in the scroll. Viewed files have no rows. */
export interface ReviewBlock extends Block<ReviewRow> {
  file: ReviewFile
  diff: ShownDiff | undefined
  hunks: readonly ShownHunk[]
  /** A file name whose extension selects the colors. */
  colorsOf: string
}

/** The change that keys act on. */
export interface CurrentChange {
  path: string
  change: string
}

export interface ScrollerHandle {
  focus(): void
  /** Scrolls to a file, or to a row of it. */
  show(path: string, row?: string): void
  /** What is at the top of the screen. */
  anchor(): Anchor | undefined
}

interface ReviewScrollerProps {
  blocks: readonly ReviewBlock[]
  isSplit: boolean
  current: CurrentChange | undefined
  busy: boolean
  lines: LineActions
  comments: CommentActions
  renderHead: (block: ReviewBlock) => ReactNode
  /** The file at the top of the screen, and all files on screen. */
  onMove: (top: string | undefined, visible: readonly string[]) => void
  ref: Ref<ScrollerHandle>
}

/** As in review.css. */
const HEAD = 36
const LINE = 20
/** How far beyond the screen rows are drawn, and how far it scrolls before more are drawn, in px. */
const BEYOND = 500
const STEP = 150

const HEIGHTS: Record<ReviewRow['kind'], number> = {
  line: LINE,
  gap: 26,
  kept: 26,
  secret: 26,
  note: 28,
  loading: 120,
  notebook: 30,
  cell: 24,
  comment: 92,
  draft: 150,
}

/** All files of a review in one scroll area; only rows near the screen are in the document. */
export function ReviewScroller({
  blocks,
  isSplit,
  current,
  busy,
  lines,
  comments,
  renderHead,
  onMove,
  ref,
}: ReviewScrollerProps) {
  // The row window is mutable, which the React Compiler would miss.
  'use no memo'
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const anchor = useRef<Anchor>(undefined)
  const measured = useRef(new WeakSet<Element>())
  const [window] = useState(() => new RowWindow<ReviewRow>({ head: HEAD, of: ({ kind }) => HEIGHTS[kind] }))
  const [view, setView] = useState({ top: 0, height: 800 })
  const [, redraw] = useState(0)
  const [hovered, setHovered] = useState<string>()
  useMemo(() => window.setBlocks(blocks), [window, blocks])
  const parts = window.parts(view.top - BEYOND, view.top + view.height + BEYOND)
  const stamp = parts.map(({ index, from, to }) => `${blocks[index]?.id} ${from} ${to}`).join('|')
  const visible = useMemo(
    () => visibleHunks(blocks, parts),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- The stamp changes when the parts do.
    [blocks, stamp],
  )
  const movedAt = useRef(Number.NEGATIVE_INFINITY)
  const colors = useLineColors(visible, movedAt)

  const look = useCallback((): void => {
    const element = scroller.current
    if (!element) return
    const top = element.scrollTop
    movedAt.current = performance.now()
    anchor.current = window.anchorAt(top)
    setView((now) => (Math.abs(now.top - top) < STEP ? now : { ...now, top }))
  }, [window])

  const scrollTo = useCallback(
    (top: number): void => {
      if (scroller.current) scroller.current.scrollTop = Math.max(0, top)
      look()
    },
    [look],
  )

  // Measures the drawn rows and keeps the position on screen. Any render may have drawn rows; measuring again changes
  // nothing.
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element || !content.current) return
    let hasChanged = false
    for (const section of content.current.children) {
      const id = section.getAttribute('data-path')
      const part = parts.find(({ index }) => blocks[index]?.id === id)
      const heights: [ReviewRow, number][] = []
      // The header and the spacer for the rows above come before the rows.
      for (const [n, child] of [...section.children].slice(2).entries()) {
        const row = part && blocks[part.index]?.rows[part.from + n]
        if (!row || !(child instanceof HTMLElement) || measured.current.has(child)) continue
        heights.push([row, child.offsetHeight])
        // Forms and comments may grow.
        if (child.className === '') measured.current.add(child)
      }
      if (id !== null && heights.length > 0 && window.measure(id, heights)) hasChanged = true
    }
    const place = anchor.current && window.scrollTopFor(anchor.current)
    if (hasChanged) {
      content.current.style.height = `${window.height}px`
      redraw((n) => n + 1)
    }
    if (place !== undefined && Math.abs(place - element.scrollTop) > 1) element.scrollTop = place
  })

  useEffect(() => {
    const element = scroller.current
    if (!element) return undefined
    let width = element.clientWidth
    const observer = new ResizeObserver(() => {
      if (element.clientWidth !== width) {
        window.forget()
        measured.current = new WeakSet()
      }
      width = element.clientWidth
      setView({ top: element.scrollTop, height: element.clientHeight })
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [window])
  useEffect(() => {
    window.forget()
    measured.current = new WeakSet()
    redraw((n) => n + 1)
  }, [window, isSplit])

  useEffect(() => {
    const element = scroller.current
    const enter = (event: MouseEvent): void => {
      const row = event.target instanceof Element ? event.target.closest('[data-change]') : null
      const path = row?.closest('[data-path]')?.getAttribute('data-path')
      setHovered(row ? `${path} ${row.getAttribute('data-change')}` : undefined)
    }
    const leave = (): void => setHovered(undefined)
    element?.addEventListener('mouseover', enter)
    element?.addEventListener('mouseleave', leave)
    return () => {
      element?.removeEventListener('mouseover', enter)
      element?.removeEventListener('mouseleave', leave)
    }
  }, [])

  const paths = parts.map(({ index }) => blocks[index]?.id ?? '').join('\n')
  const top =
    blocks[parts.find(({ index }) => window.topOf(index) + window.blockHeight(index) > view.top)?.index ?? -1]?.id
  useEffect(() => {
    onMove(top, paths.split('\n'))
  }, [onMove, top, paths])

  useImperativeHandle(ref, () => ({
    focus: () => scroller.current?.focus({ preventScroll: true }),
    anchor: () => anchor.current,
    show(path, row) {
      const place = row === undefined ? undefined : window.rowTop(path, row)
      if (place === undefined) {
        const index = blocks.findIndex(({ id }) => id === path)
        if (index >= 0) scrollTo(window.topOf(index))
        return
      }
      const at = scroller.current?.scrollTop ?? 0
      const height = scroller.current?.clientHeight ?? 0
      if (place < at + HEAD + LINE || place > at + height - 6 * LINE) scrollTo(place - Math.min(height / 4, 160))
    },
  }))

  const isCurrent = (path: string, change: string | undefined): boolean =>
    change !== undefined && current?.change === change && current.path === path
  return (
    <div ref={scroller} className="review-scroll" role="group" aria-label="Changes" tabIndex={0} onScroll={look}>
      <div ref={content} style={{ height: window.height, position: 'relative' }}>
        {parts.map(({ index, from, to, above }) => {
          const block = blocks[index]!
          const { id: path, file, hunks, colorsOf, rows } = block
          return (
            <section
              key={path}
              data-path={path}
              className="review-block"
              aria-label={file.name}
              style={{ top: window.topOf(index), height: window.blockHeight(index) }}
            >
              {renderHead(block)}
              <div style={{ height: above }} />
              {rows.slice(from, to).map((row) => {
                const change = 'change' in row ? row.change : undefined
                const isNow = isCurrent(path, change)
                if (row.kind === 'line') {
                  const hunk = hunks[row.hunk]
                  const found = hunk && colors(hunk, colorsOf)
                  const [old, fresh] = [row.old?.at ?? -1, row.new?.at ?? -1]
                  return (
                    <div key={row.key}>
                      <ReviewLine
                        row={row}
                        path={path}
                        isSplit={isSplit}
                        old={found?.tokens.get(old)}
                        fresh={found?.tokens.get(fresh)}
                        oldWords={found?.words.get(old)}
                        freshWords={found?.words.get(fresh)}
                        isCurrent={isNow}
                        hasActions={isNow || (row.isFirst === true && hovered === `${path} ${change}`)}
                        busy={busy}
                        actions={lines}
                      />
                    </div>
                  )
                }
                return (
                  <div key={row.key} className="flow-root">
                    <OtherRow row={row} path={path} isCurrent={isNow} lines={lines} comments={comments} />
                  </div>
                )
              })}
            </section>
          )
        })}
      </div>
    </div>
  )
}

function OtherRow({
  row,
  path,
  isCurrent,
  lines,
  comments,
}: {
  row: Exclude<ReviewRow, { kind: 'line' }>
  path: string
  isCurrent: boolean
  lines: LineActions
  comments: CommentActions
}) {
  switch (row.kind) {
    case 'gap':
      return <ReviewGap row={row} path={path} actions={lines} />
    case 'kept':
      return <KeptChange row={row} path={path} isCurrent={isCurrent} actions={lines} />
    case 'comment':
      return <CommentCard comment={row.comment} isAway={row.isAway} actions={comments} />
    case 'draft':
      return <CommentForm draft={row.draft} actions={comments} />
    case 'secret':
      return <SecretLines files={row.files} path={path} actions={lines} />
    case 'notebook':
      return <NotebookWays asJson={row.asJson} onChoose={(asJson) => lines.showAs(path, asJson)} />
    case 'cell':
      return <p className="review-cell">{row.text}</p>
    case 'note':
      return <p className="review-note">{row.text}</p>
    default:
      return <p className="review-note">Reading…</p>
  }
}

/** The hunks with drawn rows. */
function visibleHunks(blocks: readonly ReviewBlock[], parts: readonly BlockPart[]) {
  return parts.flatMap(({ index, from, to }) => {
    const { hunks, colorsOf: path, rows } = blocks[index]!
    const shown = new Set(rows.slice(from, to).flatMap((row) => (row.kind === 'line' ? [row.hunk] : [])))
    return [...shown].flatMap((at) => (hunks[at] ? [{ hunk: hunks[at], path }] : []))
  })
}
