import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { UpdateAction, UpdateChannel, UpdatesView } from '../../../shared/configuration/app'
import { showFailureToast } from '../../state/page/toasts-state'
import { useClient, useQueries } from '../../state/page/queries'
import { Button } from '../../ui/button'
import { ErrorNote } from '../../ui/notice'
import { Switch, SettingsSection } from '../../ui/form/settings-controls'
import { SelectField } from '../../ui/form/choice-fields'
import { LoadError } from '../../ui/load-error'

/** Polling interval in ms: often enough to follow a download. */
const FOLLOW_MS = 1000

const CHANNEL_LABELS: Record<UpdateChannel, string> = { stable: 'Stable', beta: 'Beta' }

/** The installed version, the pending update and what it waits for, and the actions on it. */
export function UpdatesPart() {
  const queries = useQueries()
  const client = useClient()
  const queryClient = useQueryClient()
  const query = useQuery({
    ...queries.app.updates.queryOptions({ staleTime: 0 }),
    refetchInterval: ({ state: { data } }) => (data && data.state.kind !== 'unavailable' ? FOLLOW_MS : false),
  })
  const { data: updates, error } = query
  const { mutate, isPending } = useMutation({
    mutationFn: (action: UpdateAction) => client.app.update(action),
    onSuccess: (view) => queryClient.setQueryData(queries.app.updates.queryKey(), view),
    onError: showFailureToast,
  })
  return (
    <SettingsSection id="settings-updates" title="Updates">
      {error && <LoadError query={query} />}
      {updates && <UpdatesBox updates={updates} isBusy={isPending} act={mutate} />}
    </SettingsSection>
  )
}

interface UpdatesBoxProps {
  updates: UpdatesView
  isBusy: boolean
  act(action: UpdateAction): void
}

/** The section's content for any update state. */
export function UpdatesBox({ updates, isBusy, act }: UpdatesBoxProps) {
  const { state, channel, automatic, previous } = updates
  const release = 'release' in state ? state.release : undefined
  const problem = state.kind === 'current' ? state.problem : undefined
  return (
    <div className="space-y-3">
      {problem && <ErrorNote failure={{ title: "Couldn't update", ...problem }} />}
      <ul className="overflow-hidden rounded-lg border border-line bg-raised">
        <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-3.5 py-2.5">
          <p className="min-w-[180px] flex-1 text-ui" aria-live="polite">
            {updateStateText(updates)}
          </p>
          <UpdateButtons updates={updates} isBusy={isBusy} act={act} />
        </li>
        {release && release.notes !== '' && (
          <li className="border-t border-line px-3.5 py-2.5">
            <h3 className="text-body font-medium">What’s new in {release.version}</h3>
            <p className="mt-1 text-ui wrap-anywhere whitespace-pre-wrap text-ink-2">{release.notes}</p>
          </li>
        )}
        {state.kind !== 'unavailable' && (
          <>
            <li className="border-t border-line px-3.5 py-2">
              <Switch
                label="Download updates automatically"
                description={
                  'In the background. An update is installed when you close Trestle, never while it is working.'
                }
                checked={automatic}
                onChange={(isAutomatic) => act({ kind: 'automatic', isAutomatic })}
              />
            </li>
            <li className="border-t border-line px-3.5 py-2.5">
              <SelectField
                label="Release channel"
                hint="Beta versions come earlier and are less tested."
                value={channel}
                onChange={({ target }) => act({ kind: 'channel', channel: target.value as UpdateChannel })}
              >
                {(Object.keys(CHANNEL_LABELS) as UpdateChannel[]).map((name) => (
                  <option key={name} value={name}>
                    {CHANNEL_LABELS[name]}
                  </option>
                ))}
              </SelectField>
            </li>
          </>
        )}
        {previous !== null && (
          <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line px-3.5 py-2.5">
            <p className="min-w-[180px] flex-1 text-ui text-ink-2">Version {previous} is kept on this computer.</p>
            <Button size="small" busy={isBusy} onClick={() => act({ kind: 'roll-back' })}>
              Restore {previous} and restart
            </Button>
          </li>
        )}
      </ul>
    </div>
  )
}

function UpdateButtons({ updates: { state }, isBusy, act }: UpdatesBoxProps) {
  if (state.kind === 'current') {
    return (
      <Button size="small" busy={isBusy} onClick={() => act({ kind: 'check' })}>
        Check for updates
      </Button>
    )
  }
  if (state.kind === 'available') {
    return (
      <Button size="small" variant="primary" busy={isBusy} onClick={() => act({ kind: 'download' })}>
        Download {state.release.version}
      </Button>
    )
  }
  if (state.kind !== 'ready') return null
  return state.whenIdle ? (
    <Button size="small" busy={isBusy} onClick={() => act({ kind: 'when-idle', isWanted: false })}>
      Cancel restart
    </Button>
  ) : (
    <Button size="small" variant="primary" busy={isBusy} onClick={() => act({ kind: 'when-idle', isWanted: true })}>
      {state.waitsFor === null ? 'Restart to update' : 'Restart when idle'}
    </Button>
  )
}

/** The update state in one sentence, including what a pending update waits for. */
export function updateStateText({ installed, state }: UpdatesView): string {
  switch (state.kind) {
    case 'unavailable':
      return `Version ${installed} is installed. ${state.reason}`
    case 'current':
      if (state.problem) return `Version ${installed} is installed.`
      return state.checkedAt === undefined
        ? `Version ${installed} is installed.`
        : `Version ${installed} is up to date.`
    case 'checking':
      return 'Checking for updates…'
    case 'available':
      return `Version ${state.release.version} is available. Version ${installed} is installed.`
    case 'downloading':
      return `Downloading version ${state.release.version}… ${state.percent}%`
    default: {
      const ready = `Version ${state.release.version} is ready to install.`
      if (!state.whenIdle) return `${ready} It will be installed when you close Trestle.`
      return state.waitsFor === null
        ? `${ready} Restarting…`
        : `${ready} Trestle restarts when nothing is running: ${state.waitsFor}.`
    }
  }
}
