import './viewer.css'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ExternalLink, FolderOpen, X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { useMemo, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { failureFrom } from '../../client/failure-from'
import { openFile, useFileViewer, type FileLocation } from '../../state/file-links'
import { useClient, useQueries } from '../../state/page/queries'
import { CopyButton } from '../../ui/content/copy-button'
import { ErrorNote } from '../../ui/notice'
import { IconButton } from '../../ui/button'
import { Skeleton } from '../../ui/loading'
import { languageOfPath } from '../../ui/content/code-languages'
import { type CodeToken, useCodeLines } from '../../ui/content/highlighter'

/** Lines shown above the requested one. */
const LINES_ABOVE = 200

/**
 * A read-only view of a project file beside the conversation: highlighted, with the line marked; loads more of a large
 * file on request.
 */
export function FileViewer() {
  const place = useFileViewer((state) => state.place)
  return (
    <Dialog.Root open={place !== undefined} onOpenChange={(open) => !open && useFileViewer.getState().close()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <Dialog.Content aria-describedby={undefined} className="file-viewer">
          {place && <Viewed key={`${place.sessionId} ${place.path} ${place.line}`} place={place} />}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Viewed({ place }: { place: FileLocation }) {
  const { sessionId, path, line } = place
  const client = useClient()
  const queries = useQueries()
  const { data: openers } = useQuery(
    queries.file.openers.queryOptions({ staleTime: 60_000, placeholderData: keepPreviousData }),
  )
  const first = Math.max(1, (line ?? 1) - LINES_ABOVE)
  const { data, error, fetchNextPage, fetchPreviousPage, hasNextPage, hasPreviousPage } = useInfiniteQuery({
    queryKey: ['file', sessionId, path, first],
    queryFn: ({ pageParam }) => client.file.read({ sessionId, path, from: pageParam }),
    initialPageParam: first,
    getNextPageParam: (page) => {
      const next = page.from + page.lines.length
      return page.lines.length > 0 &&
        (page.totalLines === undefined ? page.lines.length >= 1000 : next <= page.totalLines)
        ? next
        : undefined
    },
    getPreviousPageParam: (page) => (page.from > 1 ? Math.max(1, page.from - 1000) : undefined),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })
  const pages = data?.pages
  const last = pages?.at(-1)
  const from = pages?.[0]?.from ?? 1
  // Adjacent pages may overlap.
  const lines = useMemo(
    () =>
      pages?.flatMap((page, n) => page.lines.slice(0, pages[n + 1] ? pages[n + 1]!.from - page.from : undefined)) ?? [],
    [pages],
  )
  const shown = last?.path ?? path
  return (
    <>
      <header className="file-viewer-head">
        <Dialog.Title
          className="min-w-0 flex-1 truncate font-mono text-ui font-medium"
          title={last?.absolutePath ?? path}
        >
          {shown}
          {line !== undefined && <span className="text-ink-3">:{line}</span>}
        </Dialog.Title>
        <CopyButton text={shown} label="Copy the path" />
        {openers?.editor !== undefined && (
          <IconButton label={`Open in ${openers.editor}`} onClick={() => void openFile(client, place, 'editor')}>
            <ExternalLink aria-hidden />
          </IconButton>
        )}
        {openers?.reveals && (
          <IconButton label="Reveal in folder" onClick={() => void openFile(client, { sessionId, path }, 'folder')}>
            <FolderOpen aria-hidden />
          </IconButton>
        )}
        <Dialog.Close asChild>
          <IconButton label="Close the file">
            <X aria-hidden />
          </IconButton>
        </Dialog.Close>
      </header>
      {error ? (
        <ErrorNote failure={failureFrom(error)} />
      ) : !last ? (
        <div role="status" aria-label="Loading the file" className="space-y-3 p-4">
          <Skeleton className="w-2/3" />
          <Skeleton className="w-1/2" />
        </div>
      ) : last.problem !== undefined ? (
        <p className="p-4 text-ui text-ink-2">{last.problem}</p>
      ) : lines.length === 0 ? (
        <p className="p-4 text-ui text-ink-2">
          {line !== undefined && line > 1 ? `The file no longer has a line ${line}.` : 'The file is empty.'}
        </p>
      ) : (
        <FileText
          path={shown}
          lines={lines}
          from={from}
          marked={line}
          onMoreAbove={hasPreviousPage ? () => void fetchPreviousPage() : undefined}
          onMoreBelow={hasNextPage ? () => void fetchNextPage() : undefined}
        />
      )}
    </>
  )
}

interface FileTextProps {
  path: string
  lines: string[]
  /** Number of the first line. */
  from: number
  marked: number | undefined
  onMoreAbove: (() => void) | undefined
  onMoreBelow: (() => void) | undefined
}

/** The lines of a file with their numbers, as a virtualized list: only those on screen are in the document. */
function FileText({ path, lines, from, marked, onMoreAbove, onMoreBelow }: FileTextProps) {
  const list = useRef<VirtualizerHandle>(null)
  const [was, setWas] = useState(from)
  const tokens = useCodeLines(lines, languageOfPath(path) ?? '', lines.length, false)
  // Lines inserted above must not move the visible ones.
  const shift = from < was
  if (from !== was) setWas(from)
  useLayoutEffect(() => {
    if (marked !== undefined) list.current?.scrollToIndex(Math.max(0, marked - from), { align: 'center' })
    // Only when the file is opened.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [])
  return (
    <div className="file-viewer-text" tabIndex={0} role="group" aria-label={`Lines of ${path}`}>
      {onMoreAbove && (
        <button type="button" className="code-more" onClick={onMoreAbove}>
          Show the lines above
        </button>
      )}
      <Virtualizer ref={list} shift={shift}>
        {lines.map((line, n) => (
          <div
            key={from + n}
            className="file-viewer-line"
            data-marked={from + n === marked || undefined}
            aria-current={from + n === marked ? 'location' : undefined}
          >
            <span>{from + n}</span>
            <code>{tokens[n] ? colored(tokens[n]) : line || ' '}</code>
          </div>
        ))}
      </Virtualizer>
      {onMoreBelow && (
        <button type="button" className="code-more" onClick={onMoreBelow}>
          Show the lines below
        </button>
      )}
    </div>
  )
}

function colored(tokens: readonly CodeToken[]): ReactNode {
  if (tokens.length === 0) return ' '
  return tokens.map(({ text, kind }, n) =>
    kind === 'plain' ? (
      text
    ) : (
      <span key={n} className={`ct-${kind}`}>
        {text}
      </span>
    ),
  )
}
