import { Check, ChevronRight, Undo2 } from 'lucide-react'
import { visiblePath } from '../../../shared/visible-text'
import { FileLink } from '../../ui/content/file-link'
import { cx } from '../../ui/cx'
import { FileCounts } from './review-files'
import type { ReviewBlock } from './diff/review-scroller'

interface ReviewHeadProps {
  block: ReviewBlock
  isViewed: boolean
  isFolded: boolean
  isKept: boolean
  busy: boolean
  onFold: () => void
  onViewed: (viewed: boolean) => void
  onKeep: () => void
  onUndo: () => void
}

/** The header of a file: it stays at the top while the file is on screen. */
export function ReviewHead({
  block: { file, diff },
  isViewed,
  isFolded,
  isKept,
  busy,
  onFold,
  onViewed,
  onKeep,
  onUndo,
}: ReviewHeadProps) {
  const { changedElsewhere, changedLater } = file
  const name = visiblePath(file.name)
  const from = file.from === undefined ? undefined : visiblePath(file.from)
  const cut = name.lastIndexOf('/') + 1
  return (
    <div className="review-head">
      <button
        type="button"
        aria-expanded={!isFolded}
        aria-label={`${isFolded ? 'Expand' : 'Collapse'} ${name}`}
        className="review-icon"
        onClick={onFold}
      >
        <ChevronRight aria-hidden className={cx('transition-transform', !isFolded && 'rotate-90')} />
      </button>
      <h3 className="flex min-w-0 font-mono text-small" title={visiblePath(file.path)}>
        {from !== undefined && <span className="truncate text-ink-3">{from} → </span>}
        <span className="min-w-0 truncate text-ink-3">{name.slice(0, cut)}</span>
        <span className="max-w-full flex-none truncate text-ink">{name.slice(cut)}</span>
      </h3>
      <FileCounts file={file} diff={diff} />
      {(changedElsewhere || changedLater) && (
        <span
          className="flex-none truncate text-tiny text-wait-ink max-mid:hidden"
          title={changedLater ? 'It was changed again after this turn.' : 'Another program has changed it too.'}
        >
          {changedLater ? 'changed later' : 'changed elsewhere'}
        </span>
      )}
      <span className="review-space" />
      <span className="flex flex-none items-center gap-0.5 text-small text-ink-2">
        {file.status !== 'deleted' && (
          <span className="px-1.5 max-mid:hidden">
            <FileLink path={file.path}>
              Open<span className="sr-only"> {name}</span>
            </FileLink>
          </span>
        )}
        <button
          type="button"
          className="review-action"
          aria-pressed={isKept}
          aria-label={`Keep ${name}`}
          onClick={onKeep}
        >
          <Check aria-hidden />
          {isKept ? 'Kept' : 'Keep'}
        </button>
        <button
          type="button"
          className="review-action"
          disabled={busy}
          aria-label={`Undo the changes of ${name}`}
          onClick={onUndo}
        >
          <Undo2 aria-hidden />
          Undo
        </button>
        <label className="review-action">
          <input
            type="checkbox"
            checked={isViewed}
            aria-label={`${name} viewed`}
            onChange={({ target }) => onViewed(target.checked)}
          />
          <span className="max-mid:hidden">Viewed</span>
        </label>
      </span>
    </div>
  )
}
