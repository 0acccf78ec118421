import {
  AtSign,
  ClipboardCopy,
  Copy,
  Ellipsis,
  ExternalLink,
  FolderOpen,
  ListTree,
  MoveDown,
  Pencil,
  Search,
  UserPen,
} from 'lucide-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { FileView } from '../../../shared/model/project/file-view'
import { visiblePath } from '../../../shared/visible-text'
import { openFile } from '../../state/file-links'
import { mentionPaths } from '../../state/session/mentions'
import { useClient, useQueries } from '../../state/page/queries'
import { showToast } from '../../state/page/toasts-state'
import { Button, IconButton } from '../../ui/button'
import { Menu, MenuItem } from '../../ui/overlay/menu'

interface FileBarProps {
  sessionId: string
  path: string
  view: FileView | undefined
  /** The line on screen, for opening it in the editor. */
  line: () => number
  /** Find, go to line and symbols; undefined if the file is not text. */
  onFind: (() => void) | undefined
  onGoToLine: (() => void) | undefined
  onSymbols: (() => void) | undefined
  onEdit: (() => void) | undefined
  /** Whether blame is shown, and its toggle; undefined if the file is not text. */
  blame: { isOn: boolean; toggle: () => void } | undefined
  /** Returns the whole text, if it is loaded. */
  text: (() => string) | undefined
  /** Other ways to show the file, e.g. Source and Rendered. */
  children?: ReactNode
}

/** The bar above a file: its name and properties, and the actions on it. */
export function FileBar(props: FileBarProps) {
  const { sessionId, path, view, line, onFind, onGoToLine, onSymbols, onEdit, blame, text, children } = props
  const client = useClient()
  const queries = useQueries()
  const { data: openers } = useQuery(
    queries.file.openers.queryOptions({ staleTime: 60_000, placeholderData: keepPreviousData }),
  )
  const shown = view?.path ?? path
  const cut = Math.max(shown.lastIndexOf('/'), shown.lastIndexOf('\\')) + 1
  const [folder, name] = [visiblePath(shown.slice(0, cut)), visiblePath(shown.slice(cut))]
  return (
    <header className="file-bar">
      <h2 title={view?.absolutePath ?? path}>
        <span className="sr-only">{folder + name}</span>
        <span aria-hidden>{folder}</span>
        <b aria-hidden>{name}</b>
      </h2>
      {view && <span className="file-bar-note">{[view.note, sizeText(view.size)].filter(Boolean).join(' · ')}</span>}
      {children}
      {onEdit && (
        <Button size="small" variant="quiet" icon={<Pencil aria-hidden />} onClick={onEdit}>
          Edit
        </Button>
      )}
      {onSymbols && (
        <IconButton label="Go to symbol" kbd="Mod+Shift+O" onClick={onSymbols}>
          <ListTree aria-hidden />
        </IconButton>
      )}
      {onFind && (
        <IconButton label="Find in this file" kbd="Mod+F" onClick={onFind}>
          <Search aria-hidden />
        </IconButton>
      )}
      <Menu
        label="More for this file"
        align="end"
        trigger={
          <IconButton label="More for this file">
            <Ellipsis aria-hidden />
          </IconButton>
        }
      >
        {onGoToLine && (
          <MenuItem icon={<MoveDown aria-hidden />} kbd="Mod+G" onSelect={onGoToLine}>
            Go to line…
          </MenuItem>
        )}
        <MenuItem
          icon={<AtSign aria-hidden />}
          onSelect={() => mentionPaths(sessionId, [{ path: view?.absolutePath ?? path, isFolder: false }])}
        >
          Mention in the message
        </MenuItem>
        <MenuItem icon={<Copy aria-hidden />} onSelect={() => copy(shown, 'Path')}>
          Copy the path
        </MenuItem>
        {blame && (
          <MenuItem icon={<UserPen aria-hidden />} onSelect={blame.toggle}>
            {blame.isOn ? 'Hide who changed each line' : 'Show who changed each line'}
          </MenuItem>
        )}
        {text && (
          <MenuItem icon={<ClipboardCopy aria-hidden />} onSelect={() => copy(text(), 'Text')}>
            Copy the text
          </MenuItem>
        )}
        {openers?.editor !== undefined && (
          <MenuItem
            icon={<ExternalLink aria-hidden />}
            onSelect={() => void openFile(client, { sessionId, path, line: line() }, 'editor')}
          >
            Open in {openers.editor}
          </MenuItem>
        )}
        {openers?.reveals && (
          <MenuItem
            icon={<FolderOpen aria-hidden />}
            onSelect={() => void openFile(client, { sessionId, path }, 'folder')}
          >
            Reveal in folder
          </MenuItem>
        )}
      </Menu>
    </header>
  )
}

function copy(words: string, what: string): void {
  navigator.clipboard.writeText(words).then(
    () => showToast(`${what} copied`),
    () => showToast(`${what} could not be copied`),
  )
}

/** A size for display: `12 kB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`
  const units = ['kB', 'MB', 'GB', 'TB']
  let size = bytes / 1000
  let unit = 0
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1000
    unit += 1
  }
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`
}
