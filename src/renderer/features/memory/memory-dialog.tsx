import { useMutation, useQuery } from '@tanstack/react-query'
import { useId, useState, type FormEvent, type ReactNode } from 'react'
import {
  MEMORY_LIMITS,
  type MemoryDetails,
  type MemoryOverview,
  type MemorySource,
  type MemoryVersion,
} from '../../../shared/model/assistant/memory'
import { failureFrom } from '../../client/failure-from'
import { folderName, shortPath } from '../../format/folder-name'
import { useLayout } from '../../state/page/layout-state'
import { goToMessage } from '../../state/session/session-view'
import { projectsOf, useSessions } from '../../state/session-list/sessions-state'
import { isScratchFolder } from '../../../shared/model/project/scratch-folder'
import { useClient, useQueries } from '../../state/page/queries'
import { showFailureToast, showToast } from '../../state/page/toasts-state'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/overlay/dialog'
import { CONTROL_CLASS, Field, TextField } from '../../ui/form/field'
import { Skeleton } from '../../ui/loading'
import { ErrorNote } from '../../ui/notice'
import { useMemoryActions } from './memory-actions'
import { isMemoryChanged, memoryContent, memoryFields, type TypedMemory } from './memory-form'
import { formatMoment } from '../../../shared/language/speak'
import { LoadError } from '../../ui/load-error'

interface MemoryDialogProps {
  /** Undefined: a new entry. */
  id: number | undefined
  userHome: string | undefined
  overview: MemoryOverview | undefined
  onClose: () => void
}

/** An entry to read and correct, with its source and its earlier versions. */
export function MemoryDialog({ id, ...props }: MemoryDialogProps) {
  const queries = useQueries()
  const query = useQuery(
    queries.memory.details.queryOptions({ input: { id: id ?? 0 }, enabled: id !== undefined, retry: false }),
  )
  const { data: details, error } = query
  if (id === undefined) return <EntryForm {...props} details={undefined} />
  if (details) return <EntryForm key={id} {...props} details={details} />
  return (
    <Dialog open onOpenChange={(open) => !open && props.onClose()} title="Memory">
      {error ? <LoadError query={query} /> : <Skeleton className="my-4 w-3/5" />}
    </Dialog>
  )
}

function EntryForm({
  details,
  userHome,
  overview,
  onClose,
}: Omit<MemoryDialogProps, 'id'> & { details: MemoryDetails | undefined }) {
  const client = useClient()
  const actions = useMemoryActions()
  const formId = useId()
  const entry = details?.entry
  const [typed, setTyped] = useState<TypedMemory>({})
  const { key, text, category, folder } = memoryFields(entry, typed)
  const change = (part: TypedMemory): void => setTyped((now) => ({ ...now, ...part }))
  const places = usePlaces(overview, entry?.folder)
  const isDeleted = entry?.deletedAt !== undefined
  const content = memoryContent(entry, typed)
  const isChanged = isMemoryChanged(entry, typed)
  const save = useMutation({
    mutationFn: () => (entry ? client.memory.change({ id: entry.id, ...content }) : client.memory.add(content)),
    onSuccess: async () => {
      showToast(entry ? `Saved ${key}` : `Added ${key}`)
      await actions.refresh()
      onClose()
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isChanged && key.trim() !== '' && text.trim() !== '') save.mutate()
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      width={600}
      title={entry ? (isDeleted ? `Deleted: ${entry.key}` : entry.key) : 'Add to memory'}
      footer={
        <>
          {entry && !isDeleted && (
            <Button
              variant="danger"
              className="mr-auto"
              onClick={() => {
                actions.remove(entry)
                onClose()
              }}
            >
              Delete
            </Button>
          )}
          <Button variant="quiet" onClick={onClose}>
            {isDeleted ? 'Close' : 'Cancel'}
          </Button>
          {entry && isDeleted ? (
            <Button
              variant="primary"
              onClick={() => {
                actions.restore(entry)
                onClose()
              }}
            >
              Restore
            </Button>
          ) : (
            <Button
              variant="primary"
              type="submit"
              form={formId}
              busy={save.isPending}
              disabled={!isChanged || key.trim() === '' || text.trim() === ''}
            >
              {entry ? 'Save' : 'Add'}
            </Button>
          )}
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label="Name"
          value={key}
          readOnly={isDeleted}
          maxLength={MEMORY_LIMITS.keyChars}
          onChange={(event) => change({ key: event.target.value })}
        />
        <Field label="Text" hint="Don’t put passwords or keys here: entries with secrets are rejected.">
          {({ id, describedBy }) => (
            <textarea
              id={id}
              aria-describedby={describedBy}
              dir="auto"
              value={text}
              readOnly={isDeleted}
              maxLength={MEMORY_LIMITS.textChars}
              rows={4}
              className={`${CONTROL_CLASS} h-auto resize-y py-1.5`}
              onChange={(event) => change({ text: event.target.value })}
            />
          )}
        </Field>
        <div className="grid grid-cols-[repeat(auto-fit,minmax(200px,1fr))] gap-3">
          <TextField
            label="Category (optional)"
            value={category}
            readOnly={isDeleted}
            maxLength={MEMORY_LIMITS.categoryChars}
            onChange={(event) => change({ category: event.target.value })}
          />
          <Field label="Applies to">
            {({ id }) => (
              <select
                id={id}
                value={folder}
                disabled={isDeleted}
                className={CONTROL_CLASS}
                onChange={(event) => change({ folder: event.target.value })}
              >
                <option value="">Everywhere</option>
                {places.map((path) => (
                  <option key={path} value={path}>
                    In {folderName(path, userHome).name} ({shortPath(path, userHome)})
                  </option>
                ))}
              </select>
            )}
          </Field>
        </div>
        {save.error && <ErrorNote failure={failureFrom(save.error)} />}
      </form>
      {details && <About details={details} />}
    </Dialog>
  )
}

/** The projects an entry can belong to: those that have entries or sessions. */
function usePlaces(overview: MemoryOverview | undefined, own: string | undefined): string[] {
  const sessions = useSessions()
  const known = [...(own === undefined ? [] : [own]), ...(overview?.projects.map(({ folder }) => folder) ?? [])]
  const open = projectsOf(sessions).flatMap(({ folder }) => (isScratchFolder(folder) ? [] : [folder]))
  return [...new Set([...known, ...open])]
}

/** Use, source and history of an entry. */
function About({ details: { entry, versions, source } }: { details: MemoryDetails }) {
  return (
    <dl className="mt-4 mb-1 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 border-t border-line pt-3 text-ui">
      <Fact name="Last used">{entry.usedAt === undefined ? 'Never' : formatMoment(entry.usedAt)}</Fact>
      <Fact name="Used">{`recalled ${times(entry.shown)}, reinforced ${times(entry.uses)}`}</Fact>
      {source && (
        <Fact name="From">
          <SourceLink source={source} />
        </Fact>
      )}
      <Fact name="History">
        <ol className="space-y-1">
          {versions.map((version) => (
            <li key={version.id}>
              <span className="text-ink-3">{versionText(version)}</span>
              <span className="block break-words text-ink-2">{version.text}</span>
            </li>
          ))}
        </ol>
      </Fact>
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  )
}

/** The session and message that an entry came from, to open them. */
function SourceLink({ source }: { source: MemorySource }) {
  const client = useClient()
  if (source.title === undefined) return <span className="text-ink-3">A session that was deleted</span>
  const open = (): void => {
    useLayout.getState().openSession(source.sessionId)
    if (source.seq !== undefined) goToMessage(client, source.sessionId, source.seq).catch(showFailureToast)
  }
  return (
    <>
      <button type="button" className="text-left underline underline-offset-2" onClick={open}>
        {source.title || 'New session'}
      </button>
      {source.message !== undefined && <q className="block break-words text-ink-2">{source.message}</q>}
    </>
  )
}

const CHANGES: Record<MemoryVersion['change'], string> = {
  created: 'Added',
  changed: 'Changed',
  deleted: 'Deleted',
  restored: 'Restored',
}
const AUTHORS: Record<MemoryVersion['author'], string> = { agent: 'the agent', user: 'you', import: 'an import' }

function versionText({ change, author, at }: MemoryVersion): string {
  return `${CHANGES[change]} by ${AUTHORS[author]}, ${formatMoment(at)}`
}

function times(count: number): string {
  return count === 0 ? 'never' : count === 1 ? 'once' : `${count.toLocaleString()} times`
}
