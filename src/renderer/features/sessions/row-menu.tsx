import {
  Archive,
  ArchiveRestore,
  Copy,
  Download,
  FolderInput,
  ListVideo,
  Link,
  Pencil,
  Pin,
  PinOff,
  Plus,
  Server,
  ShieldCheck,
  SquareCheck,
  Trash2,
} from 'lucide-react'
import { useState, type ReactElement, type SyntheticEvent } from 'react'
import { isScratchFolder } from '../../../shared/model/project/scratch-folder'
import type { SessionSummary } from '../../../shared/model/session/session'
import { folderName } from '../../format/folder-name'
import { projectsOf, titleOf, useSessions } from '../../state/session-list/sessions-state'
import { hasLinks } from '../../state/session/route'
import { useClient } from '../../state/page/queries'
import type { SessionActions } from '../../state/session/session-actions'
import { selectAll, toggleSelected } from '../../state/session-list/selection-state'
import { togglePin, useSessionMarks } from '../../state/session-list/session-marks'
import { showToast, showFailureToast } from '../../state/page/toasts-state'
import { useFolderMissing } from '../../state/session-list/missing-folders'
import { ContextMenu, ContextMenuItem, ContextMenuSeparator } from '../../ui/overlay/menu'
import type { TreeRow } from './tree-rows'

interface RowMenuProps {
  rows: readonly TreeRow[]
  userHome: string | undefined
  actions: SessionActions
  onRename: (sessionId: string) => void
  onRemove: (summary: SessionSummary) => void
  /** Called with the key of the row whose menu is open, and undefined when it closes. */
  onOpen: (key: string | undefined) => void
  /** The list; its rows have `data-row`. */
  children: ReactElement
}

/**
 * The context menus of the list: one component for all rows, since one for each would make rows many times as costly to
 * render.
 */
export function RowMenu({ rows, userHome, actions, onRename, onRemove, onOpen, children }: RowMenuProps) {
  const [target, setTarget] = useState<TreeRow>()
  const aim = (event: SyntheticEvent): void => {
    const key = event.target instanceof Element && event.target.closest<HTMLElement>('[data-row]')?.dataset['row']
    const row = rows.find((one) => one.key === key)
    if (row?.kind === 'session' || row?.kind === 'project') setTarget(row)
    // Outside a row our menu stays closed.
    else event.stopPropagation()
  }
  return (
    <ContextMenu
      label={target ? `Actions for ${nameOf(target, userHome)}` : 'Actions'}
      items={
        target?.kind === 'session' ? (
          <SessionItems summary={target.summary} actions={actions} onRename={onRename} onRemove={onRemove} />
        ) : target?.kind === 'project' ? (
          <ProjectItems folder={target.folder} actions={actions} />
        ) : null
      }
      onOpenChange={(open) => onOpen(open ? target?.key : undefined)}
      onAim={aim}
    >
      {children}
    </ContextMenu>
  )
}

function nameOf(row: TreeRow, userHome: string | undefined): string {
  return row.kind === 'session'
    ? titleOf(row.summary)
    : row.kind === 'project'
      ? folderName(row.folder, userHome).name
      : ''
}

interface SessionItemsProps extends Pick<RowMenuProps, 'actions' | 'onRename' | 'onRemove'> {
  summary: SessionSummary
}

function SessionItems({ summary, actions, onRename, onRemove }: SessionItemsProps) {
  const client = useClient()
  const { sessionId, archived } = summary
  const pinned = useSessionMarks((marks) => marks.pinned.has(sessionId))
  return (
    <>
      <ContextMenuItem icon={<Pencil aria-hidden />} kbd="F2" onSelect={() => onRename(sessionId)}>
        Rename
      </ContextMenuItem>
      {!archived && (
        <ContextMenuItem
          icon={pinned ? <PinOff aria-hidden /> : <Pin aria-hidden />}
          onSelect={() => togglePin(client, sessionId)}
        >
          {pinned ? 'Unpin' : 'Pin'}
        </ContextMenuItem>
      )}
      <ContextMenuItem
        icon={archived ? <ArchiveRestore aria-hidden /> : <Archive aria-hidden />}
        onSelect={() => actions.archive(sessionId, !archived)}
      >
        {archived ? 'Restore' : 'Archive'}
      </ContextMenuItem>
      <ContextMenuItem icon={<SquareCheck aria-hidden />} onSelect={() => toggleSelected(sessionId)}>
        Select
      </ContextMenuItem>
      <ContextMenuSeparator />
      {hasLinks && (
        <ContextMenuItem icon={<Link aria-hidden />} onSelect={() => actions.copyLink(sessionId)}>
          Copy link
        </ContextMenuItem>
      )}
      <ContextMenuItem icon={<Copy aria-hidden />} onSelect={() => actions.copyId(sessionId)}>
        Copy session ID
      </ContextMenuItem>
      <ContextMenuItem icon={<Download aria-hidden />} onSelect={() => actions.export(sessionId, 'markdown')}>
        Export as Markdown
      </ContextMenuItem>
      <ContextMenuItem icon={<Download aria-hidden />} onSelect={() => actions.export(sessionId, 'html')}>
        Export as HTML
      </ContextMenuItem>
      <ContextMenuItem icon={<Download aria-hidden />} onSelect={() => actions.export(sessionId, 'json')}>
        Export as JSON
      </ContextMenuItem>
      <ContextMenuItem icon={<ShieldCheck aria-hidden />} onSelect={() => actions.ask({ kind: 'verify', sessionId })}>
        Verify history
      </ContextMenuItem>
      <ContextMenuItem icon={<ListVideo aria-hidden />} onSelect={() => actions.ask({ kind: 'replay', sessionId })}>
        Replay…
      </ContextMenuItem>
      <ContextMenuItem icon={<Server aria-hidden />} onSelect={() => actions.ask({ kind: 'move', sessionId })}>
        Move to…
      </ContextMenuItem>
      <ContextMenuItem
        icon={<FolderInput aria-hidden />}
        onSelect={() => actions.ask({ kind: 'relink', sessionId, folder: summary.folder })}
      >
        Change its folder…
      </ContextMenuItem>
      <ContextMenuSeparator />
      <ContextMenuItem icon={<Trash2 aria-hidden />} kbd="Del" danger onSelect={() => onRemove(summary)}>
        Delete…
      </ContextMenuItem>
    </>
  )
}

/** The sessions of a folder, including those behind "Show more". */
function sessionsIn(folder: string): string[] {
  const project = projectsOf(useSessions.getState()).find((one) => one.folder === folder)
  return project?.sessions.map(({ sessionId }) => sessionId) ?? []
}

function ProjectItems({ folder, actions }: { folder: string; actions: SessionActions }) {
  const missing = useFolderMissing(folder)
  const copyPath = (): void => {
    navigator.clipboard.writeText(folder).then(() => showToast('Path copied'), showFailureToast)
  }
  return (
    <>
      <ContextMenuItem icon={<Plus aria-hidden />} disabled={missing} onSelect={() => actions.begin(folder)}>
        {isScratchFolder(folder) ? 'New session without a project' : 'New session here'}
      </ContextMenuItem>
      <ContextMenuItem icon={<Copy aria-hidden />} onSelect={copyPath}>
        Copy path
      </ContextMenuItem>
      <ContextMenuItem icon={<SquareCheck aria-hidden />} onSelect={() => selectAll(sessionsIn(folder))}>
        Select all sessions
      </ContextMenuItem>
      {!isScratchFolder(folder) && (
        <ContextMenuItem icon={<FolderInput aria-hidden />} onSelect={() => actions.ask({ kind: 'relink', folder })}>
          {missing ? 'Choose where it is now…' : 'The folder has moved…'}
        </ContextMenuItem>
      )}
    </>
  )
}
