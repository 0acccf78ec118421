import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { AtSign, Copy, ExternalLink, File, FilePlus, FolderOpen, Pencil, Trash2 } from 'lucide-react'
import { openFile } from '../../state/file-links'
import { useClient, useQueries } from '../../state/page/queries'
import { showToast } from '../../state/page/toasts-state'
import { mentionPaths } from '../../state/session/mentions'
import { ContextMenuItem, ContextMenuSeparator } from '../../ui/overlay/menu'
import type { TreeActions, TreeRow } from './tree-rows'

/** The actions on a row of the tree. */
export function FileMenu({ sessionId, row, actions }: { sessionId: string; row: TreeRow; actions: TreeActions }) {
  const client = useClient()
  const queries = useQueries()
  const { data: openers } = useQuery(
    queries.file.openers.queryOptions({ staleTime: 60_000, placeholderData: keepPreviousData }),
  )
  const { path, isFolder } = row
  const isOpenable = row.closed === undefined
  const copy = (): void => {
    navigator.clipboard.writeText(path).then(
      () => showToast('Path copied'),
      () => showToast('The path could not be copied'),
    )
  }
  return (
    <>
      {!isFolder && isOpenable && (
        <ContextMenuItem icon={<File aria-hidden />} onSelect={() => actions.open({ path, inEditor: false })}>
          Open
        </ContextMenuItem>
      )}
      {openers?.editor !== undefined && isOpenable && (
        <ContextMenuItem
          icon={<ExternalLink aria-hidden />}
          onSelect={() => void openFile(client, { sessionId, path }, 'editor')}
        >
          Open in {openers.editor}
        </ContextMenuItem>
      )}
      {openers?.reveals && isOpenable && (
        <ContextMenuItem
          icon={<FolderOpen aria-hidden />}
          onSelect={() => void openFile(client, { sessionId, path }, 'folder')}
        >
          Reveal in folder
        </ContextMenuItem>
      )}
      {isOpenable && (
        <ContextMenuItem icon={<AtSign aria-hidden />} onSelect={() => mentionPaths(sessionId, [{ path, isFolder }])}>
          Mention in the message
        </ContextMenuItem>
      )}
      <ContextMenuItem icon={<Copy aria-hidden />} onSelect={copy}>
        Copy the path
      </ContextMenuItem>
      {isOpenable && <ContextMenuSeparator />}
      {isFolder && isOpenable && (
        <ContextMenuItem icon={<FilePlus aria-hidden />} onSelect={() => actions.ask({ kind: 'new', folder: path })}>
          New file…
        </ContextMenuItem>
      )}
      {isOpenable && (
        <ContextMenuItem
          icon={<Pencil aria-hidden />}
          kbd="F2"
          onSelect={() => actions.ask({ kind: 'rename', path, isFolder })}
        >
          Rename…
        </ContextMenuItem>
      )}
      {!isFolder && isOpenable && (
        <ContextMenuItem
          icon={<Trash2 aria-hidden />}
          kbd="Delete"
          danger
          onSelect={() => actions.ask({ kind: 'delete', path })}
        >
          Delete
        </ContextMenuItem>
      )}
    </>
  )
}
