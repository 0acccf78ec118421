import { ChevronsDown, ChevronsUp, UnfoldVertical, Check, EyeOff, Undo2, MessageCircleQuestion } from 'lucide-react'
import { memo } from 'react'
import type { ReviewSide } from '../../../../shared/model/session/review'
import type { TextRange } from '../../../format/diff-lines'
import { DiffText } from '../../../ui/code/diff-view'
import type { CodeToken } from '../../../ui/code/code-lines'
import type { LineCell, ReviewRow } from './review-rows'

/** The actions on the lines of a file. The functions stay the same while the review is open. */
export interface LineActions {
  expand(path: string, hunk: number, where: 'up' | 'down' | 'all'): void
  /** Shows the lines of a file that may contain secrets. */
  reveal(path: string): void
  /** Shows a notebook as JSON or as cells. */
  showAs(path: string, asJson: boolean): void
  /** Starts a comment; with `extend`, extends the current draft to this line. */
  comment(path: string, side: ReviewSide, line: number, extend: boolean): void
  keep(path: string, change: string, kept: boolean): void
  undo(path: string, change: string): void
  ask(path: string, change: string): void
  show(path: string, change: string): void
}

type Colored = { tokens: readonly CodeToken[] | undefined; words: readonly TextRange[] | undefined }

interface LineProps {
  row: Extract<ReviewRow, { kind: 'line' }>
  path: string
  isSplit: boolean
  old: readonly CodeToken[] | undefined
  fresh: readonly CodeToken[] | undefined
  oldWords: readonly TextRange[] | undefined
  freshWords: readonly TextRange[] | undefined
  /** The line belongs to the change that keys act on. */
  isCurrent: boolean
  /** Its actions are shown. */
  hasActions: boolean
  /** Nothing can be undone while a turn runs. */
  busy: boolean
  actions: LineActions
}

/** A line of the diff: one cell inline, two side by side. */
export const ReviewLine = memo(function ReviewLine({
  row,
  path,
  isSplit,
  old,
  fresh,
  oldWords,
  freshWords,
  isCurrent,
  hasActions,
  busy,
  actions,
}: LineProps) {
  const { change } = row
  const bar = hasActions && change !== undefined && row.isFirst && (
    <ChangeBar path={path} change={change} line={row.new?.line ?? row.old?.line ?? 1} {...{ busy, actions }} />
  )
  const mark = { 'data-change': change, 'data-current': isCurrent || undefined }
  if (!isSplit) {
    const cell = row.new ?? row.old!
    const side = row.new ? 'new' : 'old'
    const colors: Colored = row.new ? { tokens: fresh, words: freshWords } : { tokens: old, words: oldWords }
    return (
      <div className="review-line" data-kind={cell.kind} {...mark}>
        <span className="diff-n">{row.old?.line}</span>
        <LineNumber cell={cell} side={side} path={path} actions={actions} text={row.new?.line} />
        <Sign kind={cell.kind} />
        <DiffText className="review-text" text={cell.text} tokens={colors.tokens} changed={colors.words} />
        {bar}
      </div>
    )
  }
  return (
    <div className="review-line review-split" {...mark}>
      <Half cell={row.old} side="old" path={path} actions={actions} tokens={old} words={oldWords} />
      <Half cell={row.new} side="new" path={path} actions={actions} tokens={fresh} words={freshWords} />
      {bar}
    </div>
  )
})

function Half({
  cell,
  side,
  path,
  actions,
  tokens,
  words,
}: Colored & { cell: LineCell | undefined; side: ReviewSide; path: string; actions: LineActions }) {
  if (!cell) return <span className="review-half" data-kind="none" />
  return (
    <span className="review-half" data-kind={cell.kind}>
      <LineNumber cell={cell} side={side} path={path} actions={actions} text={cell.line} />
      <Sign kind={cell.kind} />
      <DiffText className="review-text" text={cell.text} tokens={tokens} changed={words} />
    </span>
  )
}

function Sign({ kind }: { kind: LineCell['kind'] }) {
  if (kind === 'same') return <span className="diff-sign" />
  return (
    <span className="diff-sign">
      <span aria-hidden>{kind === 'add' ? '+' : '−'}</span>
      <span className="sr-only">{kind === 'add' ? 'added' : 'removed'} </span>
    </span>
  )
}

/** A line number; clicking it comments on the line, and with Shift on all lines up to it. */
function LineNumber({
  cell,
  side,
  path,
  actions,
  text,
}: {
  cell: LineCell
  side: ReviewSide
  path: string
  actions: LineActions
  text: number | undefined
}) {
  return (
    <button
      type="button"
      // Keys reach every line with "c" and the line fields of the comment, so line numbers are not tab stops.
      tabIndex={-1}
      className="diff-n review-number"
      data-line={cell.line}
      data-side={side}
      aria-label={`Comment on line ${cell.line}${side === 'old' ? ' before the change' : ''}`}
      onClick={(event) => actions.comment(path, side, cell.line, event.shiftKey)}
    >
      {text}
    </button>
  )
}

interface ChangeBarProps {
  path: string
  change: string
  line: number
  busy: boolean
  actions: LineActions
}

/** The actions on a change: shown on the one under the pointer and the one that keys act on. */
function ChangeBar({ path, change, line, busy, actions }: ChangeBarProps) {
  return (
    <span className="review-bar" role="group" aria-label={`Change at line ${line}`}>
      <button
        type="button"
        onClick={() => actions.keep(path, change, true)}
        aria-label={`Keep the change at line ${line}`}
      >
        <Check aria-hidden />
        Keep
      </button>
      <button
        type="button"
        disabled={busy}
        onClick={() => actions.undo(path, change)}
        aria-label={`Undo the change at line ${line}`}
      >
        <Undo2 aria-hidden />
        Undo
      </button>
      <button
        type="button"
        onClick={() => actions.ask(path, change)}
        aria-label={`Ask about the change at line ${line}`}
      >
        <MessageCircleQuestion aria-hidden />
        Ask
      </button>
    </span>
  )
}

interface GapProps {
  row: Extract<ReviewRow, { kind: 'gap' }>
  path: string
  actions: LineActions
}

/** Hidden unchanged lines. */
export function ReviewGap({ row: { hunk, hidden, isStart, isEnd }, path, actions }: GapProps) {
  const text = `${hidden.toLocaleString()} unchanged ${hidden === 1 ? 'line' : 'lines'}`
  return (
    <div className="review-gap">
      {!isStart && hidden > 20 && (
        <button
          type="button"
          aria-label={`Show 20 lines below, of ${text}`}
          onClick={() => actions.expand(path, hunk, 'down')}
        >
          <ChevronsDown aria-hidden />
        </button>
      )}
      {!isEnd && hidden > 20 && (
        <button
          type="button"
          aria-label={`Show 20 lines above, of ${text}`}
          onClick={() => actions.expand(path, hunk, 'up')}
        >
          <ChevronsUp aria-hidden />
        </button>
      )}
      <button type="button" className="review-gap-all" onClick={() => actions.expand(path, hunk, 'all')}>
        <UnfoldVertical aria-hidden />
        <span className="sr-only">Show </span>
        {text}
      </button>
    </div>
  )
}

/** A change that was accepted. */
export function KeptChange({
  row: { change, added, removed },
  path,
  isCurrent,
  actions,
}: {
  row: Extract<ReviewRow, { kind: 'kept' }>
  path: string
  isCurrent: boolean
  actions: LineActions
}) {
  return (
    <div className="review-gap" data-change={change} data-current={isCurrent || undefined}>
      <Check aria-hidden className="text-done-ink" />
      <span>Kept</span>
      <span className="tabular-nums">
        <span className="text-add-ink">+{added}</span> <span className="text-del-ink">−{removed}</span>
      </span>
      <button type="button" className="review-gap-all" onClick={() => actions.keep(path, change, false)}>
        Show again
      </button>
    </div>
  )
}

/** Replaces lines that may be secrets. */
export function SecretLines({ files, path, actions }: { files: string; path: string; actions: LineActions }) {
  return (
    <div className="review-gap">
      <EyeOff aria-hidden />
      <span>Hidden, because {files} may contain secrets.</span>
      <button type="button" className="review-gap-all" onClick={() => actions.reveal(path)}>
        Show lines
      </button>
    </div>
  )
}
