import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { EngineStatus } from '../../../shared/model/app/engine'
import type { SettingsView } from '../../../shared/configuration/settings'
import { relativeTime, useNowEachMinute } from '../../format/relative-time'
import { useClient, useQueries, useSettingsChange } from '../../state/page/queries'
import { showFailureToast } from '../../state/page/toasts-state'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog'
import { Switch, SettingsSection, SettingsList } from '../../ui/form/settings-controls'
import { SelectField } from '../../ui/form/choice-fields'
import { Skeleton } from '../../ui/loading'
import { LoadError } from '../../ui/load-error'

/** Polling interval in ms, while the part is on screen. */
const FOLLOW_MS = 2000
const YEAR_MINUTES = 525_600
const IDLE_CHOICES = [1, 10, 60, 480, YEAR_MINUTES]

/** The engine that this page is a client of: where it runs, what it does, and how it ends. */
export function EnginePart({ settings }: { settings: SettingsView }) {
  const queries = useQueries()
  const query = useQuery({
    ...queries.engine.status.queryOptions({ staleTime: 0 }),
    refetchInterval: FOLLOW_MS,
  })
  const { data, error, isPending } = query
  return (
    <SettingsSection id="settings-engine" title="Engine" text="The process that runs your sessions and tasks.">
      <SettingsList roomy>
        <li>
          {isPending ? (
            <div role="status">
              <span className="sr-only">Loading the engine status</span>
              <Skeleton className="h-9 w-full rounded-md" />
            </div>
          ) : error ? (
            <LoadError query={query} />
          ) : (
            <EngineState status={data} />
          )}
        </li>
        <li>
          <IdleField minutes={settings.engine.idleMinutes} />
        </li>
        <li>
          <SharedSwitch shared={settings.engine.shared} />
        </li>
      </SettingsList>
    </SettingsSection>
  )
}

function EngineState({ status }: { status: EngineStatus | null }) {
  const now = useNowEachMinute()
  if (!status)
    return (
      <p className="text-ui text-ink-2">
        This window runs its own engine: sessions stop when the program behind it ends. To keep them running, start
        Trestle after <code className="font-mono">trestle engine</code>.
      </p>
    )
  const { holder, version, pid, startedAt } = status
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <div className="min-w-[220px] flex-1">
        <p className="text-body font-medium">{engineTitle(status)}</p>
        <p className="text-small text-ink-3">
          Trestle {version}, process {pid}, started {relativeTime(startedAt, now)}. {workText(status)}
        </p>
      </div>
      {holder === 'engine' && <EngineButtons status={status} />}
    </div>
  )
}

function EngineButtons({ status: { running, whenIdle } }: { status: EngineStatus }) {
  const client = useClient()
  const [isAsking, setIsAsking] = useState(false)
  const { mutate, isPending } = useMutation({
    mutationFn: (input: Parameters<typeof client.engine.stop>[0]) => client.engine.stop(input),
    onError: showFailureToast,
  })
  return (
    <span className="flex flex-wrap gap-2">
      <Button
        size="small"
        busy={isPending}
        disabled={whenIdle !== undefined}
        onClick={() => mutate({ how: 'when-idle', restart: true })}
      >
        Restart when idle
      </Button>
      <Button
        size="small"
        variant="danger"
        busy={isPending}
        onClick={() => (running === 0 ? mutate({ how: 'now' }) : setIsAsking(true))}
      >
        Stop
      </Button>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setIsAsking}
        title="Stop the engine?"
        action="Stop"
        onConfirm={() => mutate({ how: 'now' })}
      >
        {running === 1
          ? 'The session that is working stops where it is. '
          : `The ${running} sessions that are working stop where they are. `}
        Background tasks keep running. A new engine starts when a client needs one, such as this page.
      </ConfirmDialog>
    </span>
  )
}

function IdleField({ minutes }: { minutes: number }) {
  const save = useSettingsChange((api, idleMinutes: number) => api.setEngine({ idleMinutes }))
  const value = save.isPending ? save.variables : minutes
  const choices = IDLE_CHOICES.includes(value) ? IDLE_CHOICES : [...IDLE_CHOICES, value].toSorted((a, b) => a - b)
  return (
    <SelectField
      label="When nothing runs and no client is connected"
      hint="Schedules and alarms need an engine. The desktop app runs one while it is open."
      value={value}
      onChange={({ target }) => save.mutate(Number(target.value), { onError: showFailureToast })}
    >
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {idleText(choice)}
        </option>
      ))}
    </SelectField>
  )
}

function SharedSwitch({ shared }: { shared: boolean }) {
  const save = useSettingsChange((api, wanted: boolean) => api.setEngine({ shared: wanted }))
  return (
    <Switch
      label="Share it with programs in a terminal"
      description={
        <>
          <code className="font-mono">trestle chat</code>, <code className="font-mono">acp</code> and{' '}
          <code className="font-mono">serve</code> start this engine if it isn’t running, and their work continues after
          they exit. When off, they run their own.
        </>
      }
      checked={save.isPending ? save.variables : shared}
      onChange={(wanted) => save.mutate(wanted, { onError: showFailureToast })}
    />
  )
}

/** Where the engine runs, or what it does as soon as nothing is running. */
export function engineTitle({ holder, whenIdle }: Pick<EngineStatus, 'holder' | 'whenIdle'>): string {
  if (holder === 'desktop') return 'Runs in the desktop app, which hands it over when you quit'
  if (whenIdle) return whenIdle === 'restart' ? 'Restarts when nothing is running' : 'Stops when nothing is running'
  return 'Runs in the background'
}

/** Its clients and its work, as sentences. */
export function workText({ clients, running, tasks }: Pick<EngineStatus, 'clients' | 'running' | 'tasks'>): string {
  const work = [
    ...(running > 0 ? [count(running, 'session')] : []),
    ...(tasks > 0 ? [count(tasks, 'background task')] : []),
  ].join(' and ')
  const isOne = running + tasks === 1
  return (
    `${count(clients, 'client')} connected. ` +
    (work === '' ? 'Nothing is running.' : `${work} ${isOne ? 'is' : 'are'} running.`)
  )
}

/** What happens after this many minutes without work and clients. */
export function idleText(minutes: number): string {
  if (minutes >= YEAR_MINUTES) return 'Keep running'
  if (minutes < 1) return 'Stop immediately'
  const hours = minutes / 60
  return `Stop after ${Number.isInteger(hours) ? count(hours, 'hour') : count(minutes, 'minute')}`
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}
