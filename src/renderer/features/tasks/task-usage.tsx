import { useEffect, memo } from 'react'
import { create } from 'zustand'
import { ArrowUpRight } from 'lucide-react'
import type { TrestleClient } from '../../../shared/contract'
import type { UsagePush } from '../../../shared/events/push'
import type { TaskUsage } from '../../../shared/model/task'
import { keepSubscribed } from '../../client/subscriptions'
import { useClient, useAppInfo } from '../../state/page/queries'
import { showFailureToast } from '../../state/page/toasts-state'

export interface UsageState {
  usage: ReadonlyMap<string, TaskUsage>
  /** CPU of each task in percent of one core, the newest last, once a second. */
  history: ReadonlyMap<string, readonly number[]>
  /** When it was last measured (ms since the epoch); 0 before the first. */
  at: number
}

export const NO_USAGE: UsageState = { usage: new Map(), history: new Map(), at: 0 }

/** How many measurements a sparkline shows: the last minute. */
export const USAGE_SECONDS = 60
/** After a longer silence the curve begins anew: it would join what does not belong together. */
const MAX_GAP_MS = 5000

/** Takes in one measurement of all running tasks. Pure. */
export function withUsage(state: UsageState, { at, usage }: UsagePush): UsageState {
  const goesOn = at - state.at <= MAX_GAP_MS
  const history = new Map<string, readonly number[]>()
  for (const { taskId, cpu } of usage) {
    const before = goesOn ? (state.history.get(taskId) ?? []) : []
    history.set(taskId, [...before.slice(1 - USAGE_SECONDS), cpu])
  }
  return { at, history, usage: new Map(usage.map((one) => [one.taskId, one])) }
}

/** What running tasks use. Filled only while something on a visible page shows it (`useWatchUsage`). */
export const useUsage = create<UsageState>()(() => NO_USAGE)

let watchers = 0
let stop: (() => void) | undefined

/** Measuring costs: it is subscribed to only while the component is on a page that is visible. */
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
/** A whole core fills the height; busier tasks scale to their own peak. */
const FULL = 100

/** CPU of the last minute as one line. What it says is also there as a number. */
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
        `${n === 0 ? 'M' : 'L'}${(start + n * step).toFixed(1)} ${(HEIGHT - 1 - (value / peak) * (HEIGHT - 2)).toFixed(1)}`,
    )
    .join('')
}

interface PortLinkProps {
  port: number
  /** Where it listens, e.g. `127.0.0.1`, `::`. */
  address: string
  tabIndex?: number
}

/** A port that a task listens on, as a link to what it serves. */
export function PortLink({ port, address, tabIndex }: PortLinkProps) {
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
        // In the browser the link itself opens; a desktop window opens nothing, the user's browser does.
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
