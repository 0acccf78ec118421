import { useQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Blocks, Plus } from 'lucide-react'
import { useState, type SyntheticEvent } from 'react'
import type { PluginPlace, RemovedPlugin } from '../../../shared/model/app/plugin'
import { isScratchFolder } from '../../../shared/model/project/scratch-folder'
import { failureFrom } from '../../client/failure-from'
import { folderName } from '../../format/folder-name'
import { useLayout } from '../../state/page/layout-state'
import { useQueries, useClient } from '../../state/page/queries'
import { showToast } from '../../state/page/toasts-state'
import { useSessions } from '../../state/session-list/sessions-state'
import { Button } from '../../ui/button'
import { SectionHead } from '../../ui/form/settings-controls'
import { Skeleton } from '../../ui/loading'
import { EmptyState, ErrorNote } from '../../ui/notice'
import { placeKey, placeOf, usePluginChange } from './plugin-actions'
import { PluginRow } from './plugin-row'
import { ReviewDialog } from './review-dialog'
import { Dialog } from '../../ui/overlay/dialog'
import { CONTROL_CLASS, Field, TextField } from '../../ui/form/field'
import { formatDate } from '../../../shared/language/speak'
import { LoadError } from '../../ui/load-error'

/** Files of a project can change at any time. */
const REFETCH_MS = 3_000

/** The plugins of the user and of the current project: to add, review, accept, turn on and off, update and remove. */
export function PluginsSection({ userHome }: { userHome: string | undefined }) {
  const queries = useQueries()
  const lastSessionId = useLayout((layout) => layout.lastSessionId)
  const found = useSessions((state) =>
    lastSessionId === undefined ? undefined : state.sessions.get(lastSessionId)?.folder,
  )
  const folder = found === undefined || isScratchFolder(found) ? undefined : found
  const query = useQuery(
    queries.plugin.list.queryOptions({
      input: folder === undefined ? {} : { folder },
      refetchInterval: REFETCH_MS,
      refetchOnWindowFocus: 'always',
    }),
  )
  const { data, error } = query
  const [adding, setAdding] = useState(false)
  const [reviewed, setReviewed] = useState<PluginPlace>()
  const project = folder === undefined ? undefined : { path: folder, name: folderName(folder, userHome).name }
  const add = (
    <Button icon={<Plus aria-hidden />} onClick={() => setAdding(true)}>
      Add plugin
    </Button>
  )
  return (
    <section aria-labelledby="settings-plugins">
      <SectionHead
        id="settings-plugins"
        title="Plugins"
        text={
          'Hooks, servers, agents, ' +
          `skills and slash commands from others${project ? `, for you and for ${project.name}` : ''}. ` +
          'They do nothing until you have reviewed and accepted them.'
        }
      >
        {add}
      </SectionHead>
      {data ? (
        data.plugins.length === 0 ? (
          <EmptyState
            icon={<Blocks aria-hidden />}
            title="No plugins"
            className="rounded-lg border border-dashed border-line-strong"
          >
            Add one from a folder or a git repository. Project plugins are in .trestle/plugins.
          </EmptyState>
        ) : (
          <ul aria-label="Plugins" className="overflow-hidden rounded-lg border border-line bg-raised">
            {data.plugins.map((plugin) => (
              <PluginRow
                key={placeKey(plugin)}
                plugin={plugin}
                userHome={userHome}
                onReview={() => setReviewed(placeOf(plugin))}
              />
            ))}
          </ul>
        )
      ) : error ? (
        <LoadError query={query} />
      ) : (
        <div role="status" aria-busy>
          <span className="sr-only">Loading the plugins</span>
          <Skeleton className="h-16 w-full rounded-lg" />
        </div>
      )}
      {data && data.removed.length > 0 && <RemovedPlugins removed={data.removed} />}
      {adding && (
        <AddPluginDialog
          project={project}
          onClose={() => setAdding(false)}
          onAdded={(place) => {
            setAdding(false)
            setReviewed(place)
          }}
        />
      )}
      {reviewed && <ReviewDialog place={reviewed} userHome={userHome} onClose={() => setReviewed(undefined)} />}
    </section>
  )
}

/** Plugins removed in the last 30 days. */
function RemovedPlugins({ removed }: { removed: readonly RemovedPlugin[] }) {
  const restore = usePluginChange(
    (plugin, trashId: string) => plugin.restore({ trashId }),
    ({ name }) => showToast(`Restored ${name}`),
  )
  return (
    <>
      <h3 id="removed-plugins" className="mt-6 mb-2 font-semibold">
        Removed
      </h3>
      <ul aria-labelledby="removed-plugins" className="overflow-hidden rounded-lg border border-line bg-raised">
        {removed.map(({ trashId, name, version, until }) => (
          <li
            key={trashId}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-3.5 py-2 first:border-t-0"
          >
            <span className="min-w-0 flex-1 text-ui wrap-anywhere">
              <b className="font-medium">{name}</b> <span className="text-ink-3">{version}</span>
            </span>
            <span className="text-small text-ink-3">kept until {formatDate(until, { dateStyle: 'medium' })}</span>
            <Button
              size="small"
              aria-label={`Restore ${name}`}
              busy={restore.isPending && restore.variables === trashId}
              onClick={() => restore.mutate(trashId)}
            >
              Restore
            </Button>
          </li>
        ))}
      </ul>
    </>
  )
}

interface AddPluginDialogProps {
  /** The project that it can be added to. */
  project: { path: string; name: string } | undefined
  onClose: () => void
  onAdded: (place: PluginPlace) => void
}

/** Asks for the location of a plugin, and installs it turned off. */
function AddPluginDialog({ project, onClose, onAdded }: AddPluginDialogProps) {
  const client = useClient()
  const queryClient = useQueryClient()
  const [from, setFrom] = useState('')
  const [where, setWhere] = useState<'user' | 'project'>('user')
  const add = useMutation({
    mutationFn: () =>
      client.plugin.add({ from: from.trim(), ...(where === 'project' && project && { folder: project.path }) }),
    onSuccess: (review) => onAdded(placeOf(review)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: [['plugin']] }),
  })
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault()
    if (from.trim() !== '' && !add.isPending) add.mutate()
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Add plugin"
      description="It is copied and stays off until you have reviewed it. None of it runs."
      footer={
        <>
          <Button variant="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button variant="primary" type="submit" form="add-plugin" busy={add.isPending} disabled={from.trim() === ''}>
            Add
          </Button>
        </>
      }
    >
      <form id="add-plugin" onSubmit={submit} className="space-y-3">
        <TextField
          label="Folder or git address"
          mono
          placeholder="~/code/my-plugin or https://…/plugin.git#main"
          value={from}
          onChange={(event) => setFrom(event.target.value)}
        />
        {project && (
          <Field
            label="Where"
            hint={where === 'project' ? `Copied to .trestle/plugins of ${project.name}.` : undefined}
          >
            {({ id, describedBy }) => (
              <select
                id={id}
                aria-describedby={describedBy}
                value={where}
                className={CONTROL_CLASS}
                onChange={(event) => setWhere(event.target.value === 'project' ? 'project' : 'user')}
              >
                <option value="user">For me, in every project</option>
                <option value="project">In the project {project.name}</option>
              </select>
            )}
          </Field>
        )}
        {add.error && <ErrorNote failure={failureFrom(add.error)} />}
      </form>
    </Dialog>
  )
}
