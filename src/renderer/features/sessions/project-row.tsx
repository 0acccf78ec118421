import { ChevronRight, FolderX, Plus, Ellipsis } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import { splitPlaceFolder } from '../../../shared/model/place/place-folder'
import { isScratchFolder } from '../../../shared/model/project/scratch-folder'
import { folderName } from '../../format/folder-name'
import { cx } from '../../ui/cx'
import { PlaceBadge } from '../../ui/place-badge'
import { Tooltip } from '../../ui/tooltip'
import type { TreeRow } from './tree-rows'
import { useFolderMissing } from '../../state/session-list/missing-folders'

interface ProjectRowProps {
  folder: string
  count: number
  collapsed: boolean
  userHome: string | undefined
  reachable: boolean
  onToggle: (folder: string) => void
  onBegin: (folder: string) => void
  onFocus: (key: string) => void
}

/** A project: its name, its parent folder, and a button for a new session. A missing folder is marked. */
export function ProjectRow({
  folder,
  count,
  collapsed,
  userHome,
  reachable,
  onToggle,
  onBegin,
  onFocus,
}: ProjectRowProps) {
  const { name, parent } = folderName(folder, userHome)
  const newSession = isScratchFolder(folder) ? 'New session without a project' : `New session in ${name}`
  const isMissing = useFolderMissing(folder)
  const place = splitPlaceFolder(folder)
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget) return
    const toggles =
      event.key === 'Enter' ||
      event.key === ' ' ||
      (event.key === 'ArrowLeft' && !collapsed) ||
      (event.key === 'ArrowRight' && collapsed)
    if (!toggles) return
    event.preventDefault()
    onToggle(folder)
  }
  return (
    <div
      role="treeitem"
      aria-level={1}
      aria-expanded={!collapsed}
      data-row={`project:${folder}`}
      tabIndex={reachable ? 0 : -1}
      title={folder}
      onClick={() => onToggle(folder)}
      onFocus={(event) => event.target === event.currentTarget && onFocus(`project:${folder}`)}
      onKeyDown={onKeyDown}
      className={cx(
        'group mt-1.5 flex h-[28px] cursor-pointer items-center gap-1.5 rounded-[6px] pr-1 pl-2',
        'text-tiny font-semibold tracking-[0.01em] text-ink-2 select-none focus-visible:-outline-offset-2',
      )}
    >
      <span className="flex min-w-0 items-baseline gap-1.5">
        <span className={cx('truncate', parent ? 'max-w-[75%] flex-none' : 'min-w-0')}>{name}</span>
        {parent && <span className="min-w-0 truncate font-normal text-ink-3">{parent}</span>}
        <span className="sr-only">
          {`${count} ${count === 1 ? 'session' : 'sessions'}${isMissing ? ', folder missing' : ''}`}
        </span>
      </span>
      {place && <PlaceBadge placeId={place.placeId} />}
      {isMissing && (
        <Tooltip text="Folder not found" side="right">
          <FolderX aria-hidden className="size-[13px] flex-none text-fail-ink" />
        </Tooltip>
      )}
      <ChevronRight
        aria-hidden
        className={cx(
          'size-[13px] flex-none text-ink-3 transition-transform duration-100',
          collapsed ? 'opacity-100' : 'rotate-90 opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100',
        )}
      />
      <span className="flex-1" />
      {collapsed && (
        <span aria-hidden className="px-1 font-normal text-ink-3 tabular-nums">
          {count}
        </span>
      )}
      {!isMissing && (
        <button
          type="button"
          tabIndex={-1}
          aria-label={newSession}
          title={newSession}
          onClick={(event) => {
            event.stopPropagation()
            onBegin(folder)
          }}
          className={cx(
            'flex size-[22px] flex-none items-center justify-center rounded-sm text-ink-3',
            'opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100 hover:bg-line',
            'hover:text-ink focus-visible:opacity-100 pointer-coarse:opacity-100',
          )}
        >
          <Plus aria-hidden className="size-[14px]" />
        </button>
      )}
    </div>
  )
}

interface MoreRowProps {
  row: Extract<TreeRow, { kind: 'more' }>
  reachable: boolean
  onShow: (folder: string) => void
  onFocus: (key: string) => void
}

/** Shows more sessions of a project. */
export function MoreRow({ row, reachable, onShow, onFocus }: MoreRowProps) {
  return (
    <div
      role="treeitem"
      aria-level={2}
      data-row={row.key}
      tabIndex={reachable ? 0 : -1}
      onClick={() => onShow(row.folder)}
      onFocus={() => onFocus(row.key)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return
        event.preventDefault()
        onShow(row.folder)
      }}
      className={cx(
        'flex h-[28px] cursor-pointer items-center gap-2 rounded-[6px] px-2 text-small',
        'text-ink-3 select-none hover:bg-sunken hover:text-ink focus-visible:-outline-offset-2',
      )}
    >
      <Ellipsis aria-hidden className="size-[13px] flex-none" />
      Show {row.step} more
      {row.hidden > row.step && <span className="text-tiny">of {row.hidden.toLocaleString()}</span>}
    </div>
  )
}
