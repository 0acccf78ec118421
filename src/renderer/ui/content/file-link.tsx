import { use, type MouseEvent, type ReactNode } from 'react'
import { FileSessionContext, openFile, useFoundFile } from '../../state/file-links'
import { openPane } from '../../state/panes/panes-state'
import { revealFolder } from '../../state/session/revealed-folder'
import { findPaths } from '../../format/paths-in-text'
import { useClient } from '../../state/page/queries'

interface FileLinkProps {
  path: string
  line?: number | undefined
  column?: number | undefined
  children: ReactNode
}

/**
 * A path that opens its file: a click shows it in a pane, Ctrl- or Cmd-click opens it in the editor. Plain text if the
 * file does not exist.
 */
export function FileLink({ path, line, column, children }: FileLinkProps) {
  const sessionId = use(FileSessionContext)
  const client = useClient()
  const file = useFoundFile(path)
  if (!file) return children
  const place = {
    sessionId,
    path: file.path,
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
  }
  const go = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey) void openFile(client, place, 'editor')
    else if (file.isFolder) revealFolder(sessionId, file.path)
    else
      openPane(sessionId, {
        kind: 'file',
        path: file.path,
        ...(line !== undefined && { line }),
        ...(column !== undefined && { column }),
      })
  }
  const where = line === undefined ? file.path : `${file.path}, line ${line}`
  return (
    <button
      type="button"
      className="file-link"
      title={file.isFolder ? `${where} · show it in the file tree` : `${where} · Ctrl-click: open in your editor`}
      onClick={go}
    >
      {children}
    </button>
  )
}

/** Text whose file paths are links. */
export function PathText({ text }: { text: string }): ReactNode {
  const sessionId = use(FileSessionContext)
  const found = sessionId === '' ? [] : findPaths(text)
  if (found.length === 0) return text
  const pieces: ReactNode[] = []
  let end = 0
  for (const { start, end: next, path, line, column } of found) {
    if (start > end) pieces.push(text.slice(end, start))
    pieces.push(
      <FileLink key={start} path={path} line={line} column={column}>
        {text.slice(start, next)}
      </FileLink>,
    )
    end = next
  }
  return [...pieces, text.slice(end)]
}
