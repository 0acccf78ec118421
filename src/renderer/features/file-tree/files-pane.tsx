import './file-tree.css'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { FilePlus, RotateCw } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { SessionHeader } from '../../../shared/model/session/session'
import { openPane } from '../../state/panes/panes-state'
import { openFile } from '../../state/file-links'
import { useClient, useQueries } from '../../state/page/queries'
import { useGitMarks } from '../../state/git/git-marks'
import { useRevealedFolder } from '../../state/session/revealed-folder'
import { useSessionHeader } from '../../state/session/session-view'
import { IconButton } from '../../ui/button'
import { Skeleton } from '../../ui/loading'
import { FileDialogs } from './file-dialogs'
import { FileTree } from './file-tree'
import { FilterResults } from './filter-results'
import { pathIn, shownPath, type RequestedChange, type FileOpening } from './tree-rows'
import { openFolder, refreshTree, setActive, useTree } from './tree-store'

/** How often open folders are refreshed, in ms. */
const REFRESH_MS = 5_000

/** The files of a session's project: as a tree, or filtered by the typed text. */
export function FilesPane({ sessionId }: { sessionId: string }) {
  const header = useSessionHeader(sessionId)
  if (!header) return <Skeleton className="m-4 w-1/2" />
  return <ProjectFiles sessionId={sessionId} header={header} />
}

function ProjectFiles({ sessionId, header }: { sessionId: string; header: SessionHeader }) {
  const client = useClient()
  const root = header.folder
  const roots = useMemo(() => [root, ...header.addedFolders], [root, header.addedFolders])
  const [query, setQuery] = useState('')
  const [asked, setAsked] = useState<RequestedChange>()
  const field = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const changed = useChangedPaths(sessionId, header)
  const { folders } = useTree(sessionId)
  // Load the marks after the files.
  const marks = useGitMarks(sessionId, folders.has(root))
  const realRoot = folders.get(root)?.path ?? root

  // Refresh when files may have changed: after steps of the agent, when the page comes back, and every few seconds.
  const turn = header.turnId === undefined ? header.seq : 0
  useEffect(() => {
    const refresh = (): void => {
      if (document.visibilityState !== 'visible') return
      for (const each of roots) void refreshTree(client, sessionId, each)
    }
    refresh()
    const timer = setInterval(refresh, REFRESH_MS)
    window.addEventListener('focus', refresh)
    return () => {
      clearInterval(timer)
      window.removeEventListener('focus', refresh)
    }
  }, [client, sessionId, roots, turn])
  // A link to a folder opens it here, with the folders around it.
  const revealed = useRevealedFolder(({ asked: folder }) => (folder?.sessionId === sessionId ? folder : undefined))
  useEffect(() => {
    if (!revealed) return
    const inner = shownPath(revealed.path, [realRoot, root])
    let at = root
    for (const name of inner === '.' ? [] : inner.split(/[\\/]/)) {
      at = pathIn(at, name)
      openFolder(client, sessionId, at)
    }
    setActive(sessionId, at)
    setQuery('')
    // Once for each request.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [revealed])
  // The first filter must not wait for the list of files.
  useEffect(() => void client.file.filter({ sessionId, query: '' }).catch(() => undefined), [client, sessionId])

  const open = ({ path, inEditor }: FileOpening): void => {
    const shown = shownPath(path, [realRoot, root])
    if (inEditor) void openFile(client, { sessionId, path }, 'editor')
    else openPane(sessionId, { kind: 'file', path: shown })
  }
  const actions = {
    open,
    ask: setAsked,
    refresh: () => roots.forEach((each) => void refreshTree(client, sessionId, each)),
  }
  return (
    <div className="files-pane">
      <div role="search" aria-label="Files" className="files-filter">
        <input
          ref={field}
          type="text"
          value={query}
          aria-label="Filter files"
          placeholder="Filter files"
          spellCheck={false}
          maxLength={200}
          role="combobox"
          aria-expanded={query.trim() !== ''}
          aria-controls="file-filter-results"
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape' && query !== '') {
              event.preventDefault()
              event.stopPropagation()
              setQuery('')
            } else if (event.key === 'ArrowDown' && query.trim() === '') {
              event.preventDefault()
              list.current?.querySelector<HTMLElement>('[role="tree"]')?.focus()
            }
          }}
        />
        <IconButton label="New file" onClick={() => setAsked({ kind: 'new', folder: realRoot })}>
          <FilePlus aria-hidden />
        </IconButton>
        <IconButton label="Refresh the files" onClick={actions.refresh}>
          <RotateCw aria-hidden />
        </IconButton>
      </div>
      {query.trim() === '' ? (
        <div ref={list} className="files-trees">
          {roots.map((each, n) => (
            <FileTree
              key={each}
              sessionId={sessionId}
              root={each}
              {...(n > 0 && { title: each })}
              changed={changed}
              marks={marks}
              realRoot={folders.get(each)?.path ?? each}
              actions={actions}
            />
          ))}
        </div>
      ) : (
        <FilterResults
          sessionId={sessionId}
          query={query}
          root={realRoot}
          field={field}
          changed={changed}
          open={open}
        />
      )}
      {asked && (
        <FileDialogs
          sessionId={sessionId}
          asked={asked}
          roots={[realRoot, root]}
          onClose={() => setAsked(undefined)}
          onChanged={actions.refresh}
        />
      )}
    </div>
  )
}

/** Absolute paths of the files that the session has changed and that still differ from before, with their folders. */
function useChangedPaths(sessionId: string, header: SessionHeader): ReadonlySet<string> {
  const queries = useQueries()
  const version = header.turnId === undefined ? `idle ${header.seq}` : 'turn'
  const { data } = useQuery({
    ...queries.checkpoint.files.queryOptions({ input: { sessionId }, staleTime: 0, retry: false }),
    queryKey: ['changes', sessionId, 'tree', version],
    refetchInterval: header.turnId === undefined ? false : REFRESH_MS,
    placeholderData: keepPreviousData,
  })
  return useMemo(() => {
    const paths = new Set<string>()
    for (const { path } of data ?? []) {
      for (let at = path; at.length > 1 && !paths.has(at); at = at.slice(0, Math.max(0, at.search(/[\\/][^\\/]*$/))))
        paths.add(at)
    }
    return paths
  }, [data])
}
