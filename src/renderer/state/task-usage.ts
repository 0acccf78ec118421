import { useEffect } from 'react'
import { create } from 'zustand'
import type { TrestleClient } from '../../shared/contract'
import type { UsagePush } from '../../shared/model/push'
import type { TaskUsage } from '../../shared/model/task'
import { keepSubscribed } from '../client/keep-subscribed'
import { useClient } from './trestle-context'

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
const LONGEST_GAP_MS = 5000

/** Takes in one measurement of all running tasks. Pure. */
export function withUsage(state: UsageState, { at, usage }: UsagePush): UsageState {
  const goesOn = at - state.at <= LONGEST_GAP_MS
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
