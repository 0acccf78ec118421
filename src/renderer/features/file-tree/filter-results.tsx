import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState, type DragEvent, type ReactNode, type RefObject } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { failureFrom } from '../../client/failure-from'
import { visibleLine, visiblePath } from '../../../shared/visible-text'
import { DRAGGED_PATHS } from '../../state/session/mentions'
import { useClient } from '../../state/page/queries'
import { pathIn, type FileOpening } from './tree-rows'

const LIMIT = 100
const ROW_PX = 24
/** Partial results are refetched after this many ms. */
const PARTIAL_MS = 200
const NO_FILES: readonly { path: string; at: number[] }[] = []

interface FilterResultsProps {
  sessionId: string
  query: string
  root: string
  /** Where the query is typed: its arrow keys move through the results. */
  field: RefObject<HTMLInputElement | null>
  changed: ReadonlySet<string>
  open: (opening: FileOpening) => void
}

/** The files of the whole project that match the query, best first. */
export function FilterResults({ sessionId, query, root, field, changed, open }: FilterResultsProps) {
  const client = useClient()
  const list = useRef<VirtualizerHandle>(null)
  const pressed = useRef<string>(undefined)
  const [chosen, setChosen] = useState({ query, index: 0 })
  const { data, error, isPending, isPlaceholderData } = useQuery({
    queryKey: ['file-filter', sessionId, query],
    queryFn: () => client.file.filter({ sessionId, query, limit: LIMIT, early: true }),
    placeholderData: keepPreviousData,
    structuralSharing: false,
    staleTime: 1_000,
    gcTime: 5_000,
    retry: false,
    refetchInterval: ({ state }) => (state.data?.partial ? PARTIAL_MS : false),
  })
  const files = data?.files ?? NO_FILES
  const index = chosen.query === query ? Math.min(chosen.index, Math.max(0, files.length - 1)) : 0

  useEffect(() => {
    const element = field.current
    if (!element) return undefined
    const onKeyDown = (event: KeyboardEvent): void => {
      const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
      const file = files[index]
      if (by !== 0) {
        const next = Math.max(0, Math.min(files.length - 1, index + by))
        setChosen({ query, index: next })
        list.current?.scrollToIndex(next, { align: 'nearest' })
      } else if (event.key === 'Enter' && file) {
        open({ path: pathIn(root, file.path), inEditor: event.ctrlKey || event.metaKey })
      } else return
      event.preventDefault()
    }
    element.addEventListener('keydown', onKeyDown)
    if (files.length > 0) element.setAttribute('aria-activedescendant', `file-filter-${index}`)
    return () => {
      element.removeEventListener('keydown', onKeyDown)
      element.removeAttribute('aria-activedescendant')
    }
  }, [field, files, index, open, query, root])

  if (error) return <p className="files-note">{failureFrom(error).message}</p>
  return (
    <>
      <p role="status" className="files-count">
        {isPending || (data?.partial && data.count === 0)
          ? 'Listing the files…'
          : data && data.count > 0
            ? `${data.count.toLocaleString('en-US')} ` +
              (data.count === 1 ? 'file' : 'files') +
              (data.partial ? ' so far' : data.count > files.length ? `, showing the best ${files.length}` : '')
            : 'No matching files. Ignored files are shown only in the tree.'}
      </p>
      <div
        id="file-filter-results"
        data-query={data && !isPlaceholderData ? query : undefined}
        role={files.length > 0 ? 'listbox' : undefined}
        aria-label="Matching files"
        className="files-tree"
        {...(files.length > 0 && { tabIndex: -1 })}
      >
        <Virtualizer ref={list} itemSize={ROW_PX}>
          {files.map(({ path, at }, n) => {
            const cut = path.lastIndexOf('/') + 1
            const full = pathIn(root, path)
            return (
              <div
                key={path}
                id={`file-filter-${n}`}
                role="option"
                tabIndex={-1}
                aria-selected={n === index}
                title={visiblePath(path)}
                className="files-row files-result"
                draggable
                onDragStart={(event: DragEvent) => {
                  event.dataTransfer.setData(DRAGGED_PATHS, JSON.stringify([{ path: full, isFolder: false }]))
                  event.dataTransfer.setData('text/plain', full)
                }}
                onMouseDown={(event) => {
                  // A drag also starts with the left button, so the file opens when it is released here.
                  if (event.button === 0) pressed.current = path
                }}
                onMouseUp={(event) => {
                  if (event.button !== 0 || pressed.current !== path) return
                  setChosen({ query, index: n })
                  open({ path: full, inEditor: event.ctrlKey || event.metaKey })
                }}
              >
                <span className="sr-only">{visiblePath(path)}</span>
                <span aria-hidden className="files-name">
                  {marked(path.slice(cut), at, cut)}
                </span>
                <span aria-hidden className="files-folder">
                  {marked(path.slice(0, Math.max(0, cut - 1)), at, 0)}
                </span>
                {changed.has(full) && <i aria-hidden className="files-changed" title="Changed in this session" />}
              </div>
            )
          })}
        </Virtualizer>
      </div>
    </>
  )
}

/** A part of a path, starting at `from`, with the matching characters marked. */
function marked(text: string, at: readonly number[], from: number): ReactNode {
  const places = new Set(at)
  const parts: { text: string; fits: boolean }[] = []
  for (let n = 0; n < text.length; n++) {
    const fits = places.has(from + n)
    const last = parts.at(-1)
    if (last?.fits === fits) last.text += text[n]
    else parts.push({ text: text[n] ?? '', fits })
  }
  return parts.map((part, n) => (part.fits ? <b key={n}>{visibleLine(part.text)}</b> : visibleLine(part.text)))
}
