import { memo, useEffect, useRef } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import type { ReviewFile } from '../../../shared/model/session/review'
import { visiblePath } from '../../../shared/visible-text'
import { useKeyDown } from '../../state/page/escape'
import { cx } from '../../ui/cx'
import { useStore } from 'zustand'
import { isViewed } from './review-blocks'
import type { ShownDiff } from './diff/review-rows'
import type { ReviewStore } from './review-store'

interface ReviewFilesProps {
  review: ReviewStore
  onShow: (path: string) => void
  onViewed: (file: ReviewFile, viewed: boolean) => void
}

/** The files of a review, with their counts and whether they were viewed. Arrow keys move within the list. */
export const ReviewFiles = memo(function ReviewFiles({ review, onShow, onViewed }: ReviewFilesProps) {
  const { list: listed, diffs, marks, top: current } = useStore(review.store)
  const files = listed?.files ?? NO_FILES

  const scroller = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const at = Math.max(
    0,
    files.findIndex(({ path }) => path === current),
  )
  const viewed = files.filter((file) => isViewed(marks, file)).length
  useEffect(() => {
    list.current?.scrollToIndex(at, { align: 'nearest' })
  }, [at])
  const move = (to: number): void => {
    const file = files[Math.min(files.length - 1, Math.max(0, to))]
    if (!file) return
    onShow(file.path)
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>('[aria-current]')?.focus())
  }
  useKeyDown(scroller, (event) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (by === 0) return
    event.preventDefault()
    move(at + by)
  })
  return (
    <nav aria-label="Changed files" className="review-side flex w-[216px] flex-none flex-col border-r border-line">
      <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto px-1.5 py-1.5">
        <Virtualizer ref={list} scrollRef={scroller} itemSize={28} data={files}>
          {(file) => (
            <FileRow
              key={file.path}
              file={file}
              diff={diffs.get(file.path)}
              isViewed={isViewed(marks, file)}
              isCurrent={file.path === files[at]?.path}
              onShow={onShow}
              onViewed={onViewed}
            />
          )}
        </Virtualizer>
      </div>
      <p className="flex-none border-t border-line px-3 py-1.5 text-tiny text-ink-3 tabular-nums">
        {viewed.toLocaleString()} of {files.length.toLocaleString()} viewed
      </p>
    </nav>
  )
})

const NO_FILES: readonly ReviewFile[] = []

const FileRow = memo(function FileRow({
  file,
  diff,
  isViewed: viewed,
  isCurrent,
  onShow,
  onViewed,
}: {
  file: ReviewFile
  diff: ShownDiff | undefined
  isViewed: boolean
  isCurrent: boolean
  onShow: (path: string) => void
  onViewed: (file: ReviewFile, viewed: boolean) => void
}) {
  const name = visiblePath(file.name)
  const cut = name.lastIndexOf('/') + 1
  return (
    <div className={cx('flex h-[28px] items-center rounded-[6px]', isCurrent ? 'bg-sunken' : 'hover:bg-sunken')}>
      <button
        type="button"
        role="checkbox"
        aria-checked={viewed}
        aria-label={`Viewed: ${name}`}
        tabIndex={isCurrent ? 0 : -1}
        className="flex h-[28px] w-[24px] flex-none items-center justify-center"
        onClick={() => onViewed(file, !viewed)}
      >
        <span
          aria-hidden
          className={cx('size-[8px] rounded-full border', viewed ? 'border-done bg-done' : 'border-line-strong')}
        />
      </button>
      <button
        type="button"
        title={file.from === undefined ? name : `${visiblePath(file.from)} → ${name}`}
        aria-current={isCurrent || undefined}
        tabIndex={isCurrent ? 0 : -1}
        className={cx(
          'flex h-[28px] min-w-0 flex-1 items-center gap-2 pr-2',
          'text-left text-ui focus-visible:-outline-offset-2',
        )}
        onClick={() => onShow(file.path)}
      >
        <span className="min-w-0 flex-1 truncate">
          {name.slice(cut)}
          {cut > 0 && <span className="text-small text-ink-3"> {name.slice(0, cut - 1)}</span>}
        </span>
        <FileCounts file={file} diff={diff} />
      </button>
    </div>
  )
})

/** `+12 −3`, or what else happened to the file. */
export function FileCounts({ file, diff }: { file: ReviewFile; diff: ShownDiff | undefined }) {
  return (
    <span className="flex flex-none gap-1.5 text-small tabular-nums">
      {file.status !== 'changed' && (
        <span
          className={cx(
            file.status === 'deleted' ? 'text-del-ink' : file.status === 'added' ? 'text-add-ink' : 'text-ink-3',
          )}
        >
          {STATUS[file.status]}
        </span>
      )}
      {diff && diff.added > 0 && (
        <span className="text-add-ink">
          +{diff.added.toLocaleString()}
          <span className="sr-only"> lines added</span>
        </span>
      )}
      {diff && diff.removed > 0 && (
        <span className="text-del-ink">
          −{diff.removed.toLocaleString()}
          <span className="sr-only"> lines removed</span>
        </span>
      )}
    </span>
  )
}

const STATUS = { added: 'new', deleted: 'deleted', renamed: 'moved', changed: '' }
