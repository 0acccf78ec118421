import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { CornerLeftUp, Folder } from 'lucide-react'
import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { VList, type VListHandle } from 'virtua'
import { placeFolder, splitPlaceFolder } from '../../../shared/model/place/place-folder'
import { useQueries } from '../../state/page/queries'
import { Button } from '../../ui/button'
import { cx } from '../../ui/cx'
import { Dialog } from '../../ui/overlay/dialog'
import { Spinner } from '../../ui/loading'
import { SelectField } from '../../ui/form/choice-fields'
import { TextField } from '../../ui/form/field'
import { LoadError } from '../../ui/load-error'

interface FolderBrowserProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  /** The initial folder. */
  start: string
  recent: readonly string[]
  shorten: (path: string) => string
  onChoose: (path: string) => void
  title?: string
  description?: string
  /** Other machines, whose folders can be chosen too. */
  places?: readonly string[]
}

/** Chooses a folder where no native dialog exists: by typing its path or by navigating. */
export function FolderBrowser({ open, onOpenChange, ...rest }: FolderBrowserProps) {
  // A new one each time it opens, so it starts at `start` again.
  return open ? <OpenBrowser {...rest} onOpenChange={onOpenChange} /> : null
}

const ROW = 30
const MAX_RECENT = 4

function OpenBrowser({
  start,
  recent,
  shorten,
  onChoose,
  onOpenChange,
  title = 'Choose a folder',
  description = 'The agent works in this folder and asks before touching anything outside it.',
  places = [],
}: Omit<FolderBrowserProps, 'open'>) {
  const queries = useQueries()
  const [path, setPath] = useState(start)
  /** The typed path, not opened yet. */
  const [draft, setDraft] = useState<string>()
  const [selected, setSelected] = useState(0)
  /** Whether hidden folders like .ssh are listed: few are projects, and some contain secrets. */
  const [hidden, setHidden] = useState(false)
  const list = useRef<VListHandle>(null)
  const frame = useRef<HTMLDivElement>(null)
  /** The focused button disappears with the error; the list takes the focus once it is back. */
  const leavesError = useRef(false)
  const focusList = (): void => frame.current?.querySelector<HTMLElement>('[role=listbox]')?.focus()
  const query = useQuery(
    queries.folder.list.queryOptions({
      input: { path },
      placeholderData: keepPreviousData,
      retry: false,
      staleTime: 0,
      gcTime: 0,
    }),
  )
  const { data, error, isFetching, isPlaceholderData } = query
  const listing = error ? undefined : data
  const folders = listing?.folders.filter(({ name }) => hidden || !name.startsWith('.')) ?? []
  const hasHidden = listing?.folders.some(({ name }) => name.startsWith('.')) ?? false
  const rows = [...(listing?.parent === undefined ? [] : [{ name: '..', path: listing.parent }]), ...folders]
  const typed = draft !== undefined && draft.trim() !== '' && draft !== shorten(listing?.path ?? '')

  const goTo = (next: string): void => {
    setPath(next)
    setDraft(undefined)
    setSelected(0)
    list.current?.scrollTo(0)
  }
  useEffect(() => {
    if (!listing || !leavesError.current) return
    leavesError.current = false
    frame.current?.querySelector<HTMLElement>('[role=listbox]')?.focus()
  }, [listing])
  useEffect(() => {
    list.current?.scrollToIndex(selected, { align: 'nearest' })
  }, [selected])

  const onListKey = (event: KeyboardEvent): void => {
    const last = rows.length - 1
    const target = {
      ArrowDown: selected + 1,
      ArrowUp: selected - 1,
      PageDown: selected + 8,
      PageUp: selected - 8,
      Home: 0,
      End: last,
    }[event.key]
    if (target !== undefined) setSelected(Math.max(0, Math.min(last, target)))
    else if (event.key === 'Enter' || event.key === 'ArrowRight') {
      const row = rows[selected]
      if (row) goTo(row.path)
    } else if (event.key === 'Backspace' || event.key === 'ArrowLeft') {
      if (listing?.parent !== undefined) goTo(listing.parent)
    } else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const at = nextWith(rows, event.key, selected)
      if (at !== undefined) setSelected(at)
    } else return
    event.preventDefault()
  }

  return (
    <Dialog
      open
      onOpenChange={onOpenChange}
      title={title}
      description={description}
      width={560}
      footer={
        <>
          <Button variant="quiet" onClick={() => onOpenChange(false)}>
            Cancel
          </Button>
          {/* While the next folder loads, the previous one is still listed: opening that would be wrong. */}
          <Button
            variant="primary"
            disabled={!listing || typed || isPlaceholderData}
            onClick={() => listing && onChoose(listing.path)}
          >
            {listing ? `Open ${shorten(listing.path).split(/[\\/]/).at(-1) || listing.path}` : 'Open'}
          </Button>
        </>
      }
    >
      {places.length > 0 && (
        <SelectField
          label="Machine"
          className="mb-2"
          value={splitPlaceFolder(path)?.placeId ?? ''}
          onChange={({ target: { value } }) => goTo(value === '' ? '~' : placeFolder({ placeId: value, path: '~' }))}
        >
          <option value="">This machine</option>
          {places.map((placeId) => (
            <option key={placeId} value={placeId}>
              {placeId}
            </option>
          ))}
        </SelectField>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (typed) goTo(onPlace(path, draft))
          else focusList()
        }}
        className="flex items-end gap-2"
      >
        <TextField
          label="Path"
          mono
          autoFocus
          className="flex-1"
          value={draft ?? shorten(listing?.path ?? path)}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'ArrowDown') return
            event.preventDefault()
            focusList()
          }}
        />
        <Button type="submit" disabled={!typed}>
          Go
        </Button>
      </form>
      {recent.length > 0 && (
        <div className="mt-2 flex flex-wrap items-center gap-1.5">
          <span className="text-small text-ink-3">Recent</span>
          {recent.slice(0, MAX_RECENT).map((folder) => (
            <Button
              key={folder}
              size="small"
              variant="quiet"
              title={folder}
              className="max-w-[150px] min-w-0"
              onClick={() => goTo(folder)}
            >
              <span className="truncate">{shorten(folder).split(/[\\/]/).at(-1) || folder}</span>
            </Button>
          ))}
        </div>
      )}
      <div ref={frame} className="relative mt-3 h-[264px] rounded-lg border border-line bg-paper">
        {error ? (
          <div className="p-3">
            <LoadError
              query={query}
              others={
                <Button
                  size="small"
                  onClick={() => {
                    leavesError.current = true
                    goTo(parentOf(path))
                  }}
                >
                  Go to the parent folder
                </Button>
              }
            />
          </div>
        ) : (
          <VList
            ref={list}
            role="listbox"
            tabIndex={0}
            aria-label={`Folders in ${listing?.path ?? path}`}
            aria-activedescendant={rows[selected] ? `folder-${selected}` : undefined}
            aria-busy={isFetching}
            data={rows}
            itemSize={ROW}
            keepMounted={rows[selected] ? [selected] : []}
            onKeyDown={onListKey}
            onClick={(event) => {
              const clicked = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-path]') : null
              if (clicked?.dataset.path !== undefined) goTo(clicked.dataset.path)
            }}
            className="rounded-lg p-1"
            style={{ height: '100%' }}
          >
            {(row, index) => (
              <div
                key={row.path}
                id={`folder-${index}`}
                role="option"
                aria-selected={index === selected}
                data-path={row.path}
                className={cx(
                  'flex h-[30px] cursor-pointer items-center gap-2.5 rounded-[6px] px-2.5 hover:bg-sunken',
                  index === selected && 'bg-sunken',
                  row.name.startsWith('.') && 'text-ink-3',
                )}
              >
                {row.name === '..' ? (
                  <CornerLeftUp aria-hidden className="size-[15px] flex-none text-ink-3" />
                ) : (
                  <Folder aria-hidden className="size-[15px] flex-none text-ink-3" />
                )}
                <span className="truncate">{row.name === '..' ? 'Parent folder' : row.name}</span>
              </div>
            )}
          </VList>
        )}
        {isFetching && !listing && !error && (
          <div className="absolute inset-0 flex items-center justify-center">
            <Spinner label="Reading the folder" />
          </div>
        )}
        {listing && folders.length === 0 && (
          <p className="pointer-events-none absolute inset-x-0 top-1/2 text-center text-ui text-ink-3">No subfolders</p>
        )}
      </div>
      {hasHidden && (
        <Button
          size="small"
          variant="quiet"
          className="mt-1.5 -ml-2"
          aria-pressed={hidden}
          onClick={() => {
            setHidden(!hidden)
            setSelected(0)
          }}
        >
          {hidden ? 'Hide hidden folders' : 'Show hidden folders'}
        </Button>
      )}
    </Dialog>
  )
}

/** A typed path, on the machine being browsed. */
function onPlace(shown: string, typed: string): string {
  const there = splitPlaceFolder(shown)
  return there && splitPlaceFolder(typed) === undefined ? placeFolder({ ...there, path: typed.trim() }) : typed
}

/** The folder above a path that may not exist; the home folder for one without. */
function parentOf(path: string): string {
  const there = splitPlaceFolder(path)
  const above = (there?.path ?? path).replace(/[\\/]+$/, '').replace(/[^\\/]+$/, '') || '~'
  return there ? placeFolder({ ...there, path: above }) : above
}

/** The next row whose name starts with the letter, wrapping around. */
function nextWith(rows: readonly { name: string }[], letter: string, after: number): number | undefined {
  for (let step = 1; step <= rows.length; step += 1) {
    const at = (after + step) % rows.length
    if (rows[at]?.name.toLocaleLowerCase().startsWith(letter.toLocaleLowerCase())) return at
  }
  return undefined
}
