import { useEffect, memo, useState } from 'react'
import { create } from 'zustand'
import { ArrowUpRight } from 'lucide-react'
import type { TrestleClient } from '../../../shared/contract'
import type { UsagePush } from '../../../shared/events/push'
import type { TaskUsage } from '../../../shared/model/task/task'
import { keepSubscribed } from '../../client/subscriptions'
import { useLayout } from '../../state/page/layout-state'
import { openPane } from '../../state/panes/panes-state'
import { useClient, useAppInfo } from '../../state/page/queries'
import { showFailureToast } from '../../state/page/toasts-state'

export interface UsageState {
  usage: ReadonlyMap<string, TaskUsage>
  /** CPU of each task in percent of one core, the newest last, once a second. */
  history: ReadonlyMap<string, readonly number[]>
  /** Time of the last sample (ms since the epoch); 0 before the first. */
  at: number
}

export const NO_USAGE: UsageState = { usage: new Map(), history: new Map(), at: 0 }

/** Samples in a sparkline: the last minute. */
export const USAGE_SECONDS = 60
/** After a longer gap the curve starts again, instead of connecting unrelated samples. */
const MAX_GAP_MS = 5000

/** Adds a sample of all running tasks. Pure. */
export function withUsage(state: UsageState, { at, usage }: UsagePush): UsageState {
  const goesOn = at - state.at <= MAX_GAP_MS
  const history = new Map<string, readonly number[]>()
  for (const { taskId, cpu } of usage) {
    const before = goesOn ? (state.history.get(taskId) ?? []) : []
    history.set(taskId, [...before.slice(1 - USAGE_SECONDS), cpu])
  }
  return { at, history, usage: new Map(usage.map((one) => [one.taskId, one])) }
}

/** Resource usage of running tasks. Updated only while something on a visible page shows it (`useWatchUsage`). */
export const useUsage = create<UsageState>()(() => NO_USAGE)

let watchers = 0
let stop: (() => void) | undefined

/** Measuring costs time, so it runs only while the component is on a visible page. */
export function useWatchUsage(active = true): void {
  const client = useClient()
  useEffect(() => {
    if (!active) return undefined
    const look = (): void => settle(client)
    watchers += 1
    look()
    document.addEventListener('visibilitychange', look)
    return () => {
      watchers -= 1
      document.removeEventListener('visibilitychange', look)
      look()
    }
  }, [client, active])
}

function settle(client: TrestleClient): void {
  const wanted = watchers > 0 && document.visibilityState === 'visible'
  if (wanted && !stop) {
    stop = keepSubscribed<UsagePush>(
      (signal) => client.push.usage(undefined, { signal }),
      (push) => {
        useUsage.setState((state) => withUsage(state, push))
        return true
      },
      {},
    )
  } else if (!wanted && stop) {
    stop()
    stop = undefined
  }
}

const WIDTH = 64
const HEIGHT = 16
/** A full core fills the height; busier tasks scale to their own peak. */
const FULL = 100

/** CPU of the last minute as a line. The value is also shown as a number. */
export const Sparkline = memo(function Sparkline({ values }: { values: readonly number[] }) {
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      className="flex-none overflow-visible text-run"
    >
      {values.length > 1 && (
        <path d={path(values)} fill="none" stroke="currentColor" strokeWidth="1.2" strokeLinejoin="round" />
      )}
    </svg>
  )
})

function path(values: readonly number[]): string {
  const peak = Math.max(FULL, ...values)
  const step = WIDTH / (USAGE_SECONDS - 1)
  const start = WIDTH - (values.length - 1) * step
  return values
    .map(
      (value, n) =>
        `${n === 0 ? 'M' : 'L'}${(start + n * step).toFixed(1)} ` +
        (HEIGHT - 1 - (value / peak) * (HEIGHT - 2)).toFixed(1),
    )
    .join('')
}

interface PortLinkProps {
  port: number
  /** The addresses it listens on, e.g. `127.0.0.1`, `::`. */
  address: string
  /** The place of the task: its port is first forwarded to this machine. */
  place: string | undefined
  tabIndex?: number
}

/** A port that a task listens on, as a link. */
export function PortLink({ port, address, place, tabIndex }: PortLinkProps) {
  if (place !== undefined) return <RemotePort port={port} place={place} tabIndex={tabIndex} />
  return <LocalPort port={port} address={address} tabIndex={tabIndex} />
}

/** A port of a place: forwarded to this machine when the user opens it. */
function RemotePort({ port, place, tabIndex }: { port: number; place: string; tabIndex: number | undefined }) {
  const client = useClient()
  const { data: info } = useAppInfo()
  const [isOpening, setOpening] = useState(false)
  const open = async (inPane: boolean): Promise<void> => {
    setOpening(true)
    try {
      const near = await client.place.forward({ placeId: place, port })
      const { view } = useLayout.getState()
      const url = `http://localhost:${near.port}/`
      if (view.kind === 'session' && inPane) openPane(view.sessionId, { kind: 'preview', url })
      else if (info?.host === 'electron') await client.app.openExternal({ url })
      else window.open(url, '_blank', 'noopener')
    } catch (error) {
      showFailureToast(error)
    }
    setOpening(false)
  }
  return (
    <button
      type="button"
      tabIndex={tabIndex}
      disabled={isOpening}
      title={`Open port ${port} of ${place} here`}
      aria-label={`Open port ${port} of ${place}`}
      className="inline-flex flex-none items-center rounded-sm text-run-ink hover:underline disabled:text-ink-3"
      onClick={(event) => {
        event.stopPropagation()
        void open(!event.ctrlKey && !event.metaKey && !event.shiftKey)
      }}
    >
      :{port}
      <ArrowUpRight aria-hidden className="size-[11px]" />
    </button>
  )
}

interface LocalPortProps extends Pick<PortLinkProps, 'port' | 'address'> {
  tabIndex: number | undefined
}

function LocalPort({ port, address, tabIndex }: LocalPortProps) {
  const client = useClient()
  const { data: info } = useAppInfo()
  const url = `http://${address === '::1' ? '[::1]' : '127.0.0.1'}:${port}`
  return (
    <a
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      tabIndex={tabIndex}
      title={`Open ${url}`}
      aria-label={`Open port ${port}`}
      className="inline-flex flex-none items-center rounded-sm text-run-ink hover:underline"
      onClick={(event) => {
        event.stopPropagation()
        const { view } = useLayout.getState()
        const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey
        // Beside a conversation it opens in a pane.
        if (view.kind === 'session' && isPlain && info?.host === 'web') {
          event.preventDefault()
          openPane(view.sessionId, { kind: 'preview', url: `http://localhost:${port}/` })
          return
        }
        // In a browser the link opens itself; a desktop window opens it in the user's browser.
        if (info?.host !== 'electron') return
        event.preventDefault()
        void client.app.openExternal({ url }).catch(showFailureToast)
      }}
    >
      :{port}
      <ArrowUpRight aria-hidden className="size-[11px]" />
    </a>
  )
}

/** Each port once, however many processes or addresses share it. */
export function distinctPorts<Port extends { port: number }>(ports: readonly Port[]): Port[] {
  return [...new Map(ports.map((one) => [one.port, one])).values()].sort((a, b) => a.port - b.port)
}
