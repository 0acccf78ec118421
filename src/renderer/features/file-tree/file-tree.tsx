import { ChevronRight, CornerDownRight, File, Folder, Lock } from 'lucide-react'
import { useEffect, useId, useMemo, useRef, useState, type DragEvent, type KeyboardEvent } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { visiblePath } from '../../../shared/visible-text'
import { DRAGGED_PATHS } from '../../state/session/mentions'
import { useClient } from '../../state/page/queries'
import { GIT_MARKS, type GitMark, type GitMarks } from '../../state/git/git-marks'
import { ContextMenu } from '../../ui/overlay/menu'
import { FileMenu } from './file-menu'
import { rowStartingWith, treeRows, type TreeActions, type TreeRow } from './tree-rows'
import { closeFolder, loadFolder, openFolder, setActive, useTree } from './tree-store'

const ROW_PX = 24
/** Letters typed within this time form one search. */
const TYPING_MS = 700

interface FileTreeProps {
  sessionId: string
  root: string
  /** Of an added folder. */
  title?: string
  changed: ReadonlySet<string>
  /** By real paths: below `realRoot`, the real path of `root`. */
  marks: GitMarks
  realRoot: string
  actions: TreeActions
}

/** The tree below one folder. Folders are listed when they are opened, and only visible rows are in the document. */
export function FileTree({ sessionId, root, title, changed, marks, realRoot, actions }: FileTreeProps) {
  const client = useClient()
  const id = useId()
  const list = useRef<VirtualizerHandle>(null)
  const typed = useRef({ text: '', at: 0 })
  const tree = useTree(sessionId)
  const rows = useMemo(() => treeRows(root, tree), [root, tree])
  const [aimed, setAimed] = useState<TreeRow>()
  const index = Math.max(
    0,
    rows.findIndex(({ path }) => path === tree.active),
  )
  const active = rows[index]
  useEffect(() => void loadFolder(client, sessionId, root), [client, sessionId, root])

  const go = (to: number): void => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, to))]
    if (!row) return
    setActive(sessionId, row.path)
    list.current?.scrollToIndex(rows.indexOf(row), { align: 'nearest' })
  }
  const use = (row: TreeRow, inEditor: boolean): void => {
    if (row.note !== undefined || row.closed !== undefined) return
    if (!row.isFolder) actions.open({ path: row.path, inEditor })
    else if (row.isOpen) closeFolder(sessionId, row.path)
    else openFolder(client, sessionId, row.path)
  }
  const goOut = (): void => {
    if (!active) return
    if (active.isOpen) return closeFolder(sessionId, active.path)
    const parent = rows.slice(0, index).findLastIndex(({ level }) => level < active.level)
    if (parent >= 0) go(parent)
  }
  const goIn = (): void => {
    if (!active?.isFolder) return
    if (active.isOpen) go(index + 1)
    else use(active, false)
  }
  const type = (letter: string): void => {
    const now = performance.now()
    const text = now - typed.current.at < TYPING_MS ? typed.current.text + letter : letter
    typed.current = { text, at: now }
    const found = rowStartingWith(rows, index, text)
    if (found !== undefined) go(found)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const { key } = event
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey
    if (key === 'Enter' && active) use(active, event.ctrlKey || event.metaKey)
    else if (!isPlain) return
    else if (key === 'ArrowDown') go(index + 1)
    else if (key === 'ArrowUp') go(index - 1)
    else if (key === 'ArrowRight') goIn()
    else if (key === 'ArrowLeft') goOut()
    else if (key === 'Home') go(0)
    else if (key === 'End') go(rows.length - 1)
    else if (key === 'PageDown') go(index + 20)
    else if (key === 'PageUp') go(index - 20)
    else if (key === ' ' && active) use(active, false)
    else if (key === 'F2' && canRename(active))
      actions.ask({ kind: 'rename', path: active.path, isFolder: active.isFolder })
    else if (key === 'Delete' && isFile(active)) actions.ask({ kind: 'delete', path: active.path })
    else if (key.length === 1) type(key)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const markOf = ({ path, isFolder, isIgnored, note }: TreeRow): GitMark | undefined => {
    if (isIgnored || note !== undefined) return undefined
    const real = slashes(realRoot + path.slice(root.length))
    return isFolder ? marks.folders.get(real) : marks.files.get(real)
  }
  const rowAt = (target: EventTarget): TreeRow | undefined => {
    const path = target instanceof Element ? target.closest('[data-path]')?.getAttribute('data-path') : undefined
    return path === null || path === undefined ? active : rows.find((row) => row.path === path)
  }
  return (
    <>
      {title !== undefined && <h3 className="files-title">{title}</h3>}
      <ContextMenu
        label="File"
        onAim={(event) => {
          const row = rowAt(event.target)
          if (!row || row.note !== undefined) return event.stopPropagation()
          setAimed(row)
          setActive(sessionId, row.path)
        }}
        items={aimed && <FileMenu sessionId={sessionId} row={aimed} actions={actions} />}
      >
        <div
          className="files-tree"
          role="tree"
          aria-label={title === undefined ? 'Project files' : `Files of ${title}`}
          tabIndex={0}
          aria-activedescendant={active ? `${id}-${index}` : undefined}
          onKeyDown={onKeyDown}
          // Assistive programs move the focus to a row itself.
          onFocus={(event) => {
            const row = event.target === event.currentTarget ? undefined : rowAt(event.target)
            if (row && row.path !== active?.path) setActive(sessionId, row.path)
          }}
          onClick={(event) => {
            const row = rowAt(event.target)
            if (!row || !(event.target instanceof Element) || !event.target.closest('[data-path]')) return
            event.currentTarget.focus({ preventScroll: true })
            setActive(sessionId, row.path)
            use(row, event.ctrlKey || event.metaKey)
          }}
        >
          <Virtualizer ref={list} itemSize={ROW_PX}>
            {rows.map((row, n) => (
              <Row
                key={row.path}
                id={`${id}-${n}`}
                row={row}
                isActive={n === index}
                isChanged={changed.has(row.path)}
                mark={markOf(row)}
              />
            ))}
          </Virtualizer>
        </div>
      </ContextMenu>
    </>
  )
}

/** Marks use slashes; a backslash is a separator only in Windows paths. */
function slashes(path: string): string {
  return path.startsWith('/') ? path : path.replaceAll('\\', '/')
}

function canRename(row: TreeRow | undefined): row is TreeRow {
  return row !== undefined && row.note === undefined && row.closed === undefined
}

function isFile(row: TreeRow | undefined): row is TreeRow {
  return canRename(row) && !row.isFolder
}

interface RowProps {
  id: string
  row: TreeRow
  isActive: boolean
  isChanged: boolean
  mark: GitMark | undefined
}

function Row({ id, row, isActive, isChanged, mark }: RowProps) {
  const { path, name, level, isFolder, isOpen, isIgnored, isLink, closed, note, position, siblings } = row
  const drag = (event: DragEvent): void => {
    event.dataTransfer.setData(DRAGGED_PATHS, JSON.stringify([{ path, isFolder }]))
    event.dataTransfer.setData('text/plain', path)
    event.dataTransfer.effectAllowed = 'copy'
  }
  const shown = mark && GIT_MARKS[mark]
  const spokenMarks = [
    shown && (isFolder ? `${shown.name} files inside` : shown.name),
    isChanged && 'changed',
    isIgnored && 'ignored',
    isLink && 'link',
  ]
    .filter(Boolean)
    .join(', ')
  return (
    <div
      id={id}
      role="treeitem"
      tabIndex={-1}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-selected={isActive}
      aria-expanded={isFolder && closed === undefined ? isOpen : undefined}
      aria-disabled={closed !== undefined || undefined}
      data-path={path}
      data-mark={mark}
      data-ignored={isIgnored || undefined}
      data-note={note !== undefined || undefined}
      title={closed}
      className="files-row"
      style={{ paddingLeft: 6 + (level - 1) * 14 }}
      draggable={note === undefined && closed === undefined}
      onDragStart={drag}
    >
      <ChevronRight aria-hidden data-open={isOpen || undefined} data-hidden={!isFolder || undefined} />
      {note === undefined &&
        (closed !== undefined ? <Lock aria-hidden /> : isFolder ? <Folder aria-hidden /> : <File aria-hidden />)}
      <span className="files-name">{note === undefined ? visiblePath(name) : note}</span>
      {isLink && <CornerDownRight aria-hidden />}
      {spokenMarks !== '' && <span className="sr-only"> ({spokenMarks})</span>}
      {isChanged && <i aria-hidden className="files-changed" title="Changed in this session" />}
      {shown && (
        <span aria-hidden className="files-mark" title={isFolder ? `Has ${shown.name} files` : shown.name}>
          {isFolder ? '•' : shown.letter}
        </span>
      )}
    </div>
  )
}
