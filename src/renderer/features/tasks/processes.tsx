import { useQuery } from '@tanstack/react-query'
import { Ghost } from 'lucide-react'
import { useState } from 'react'
import type { TaskProcess } from '../../../shared/model/task/task'
import { formatMemory, formatPercent } from './task-text'
import { showToast, showFailureToast } from '../../state/page/toasts-state'
import { useClient, useQueries } from '../../state/page/queries'
import { Banner } from '../../ui/notice'
import { Button } from '../../ui/button'
import { formatMoment } from '../../../shared/language/speak'

interface Branch {
  process: TaskProcess
  depth: number
}

/** The process tree of a task, with CPU and memory of each process. */
export function ProcessTree({ processes }: { processes: readonly TaskProcess[] }) {
  return (
    <table className="process-tree">
      <caption className="sr-only">Processes</caption>
      <thead className="sr-only">
        <tr>
          <th scope="col">Process</th>
          <th scope="col">Number</th>
          <th scope="col">CPU</th>
          <th scope="col">Memory</th>
        </tr>
      </thead>
      <tbody>
        {processBranches(processes).map(({ process, depth }) => (
          <tr key={process.pid}>
            <td>
              <span style={{ paddingLeft: `${Math.min(depth, 8) * 14}px` }} title={process.command}>
                {depth > 0 && <span aria-hidden>└ </span>}
                {process.command}
              </span>
            </td>
            <td>{process.pid}</td>
            <td>{formatPercent(process.cpu)}</td>
            <td>{formatMemory(process.memoryBytes)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** In tree order; a process whose parent is not listed is a root. */
export function processBranches(processes: readonly TaskProcess[]): Branch[] {
  const known = new Set(processes.map(({ pid }) => pid))
  const children = new Map<number, TaskProcess[]>()
  const roots: TaskProcess[] = []
  for (const process of processes) {
    if (!known.has(process.parentPid) || process.parentPid === process.pid) roots.push(process)
    else children.set(process.parentPid, [...(children.get(process.parentPid) ?? []), process])
  }
  const rows: Branch[] = []
  const seen = new Set<number>()
  const walk = (process: TaskProcess, depth: number): void => {
    // PIDs can be reused between two samples, which could create a cycle.
    if (seen.has(process.pid)) return
    seen.add(process.pid)
    rows.push({ process, depth })
    for (const child of children.get(process.pid) ?? []) walk(child, depth + 1)
  }
  for (const root of roots) walk(root, 0)
  for (const process of processes) walk(process, 0)
  return rows
}

/** Orphaned processes of ended tasks: their number, their commands, and stop buttons. */
export function OrphansBanner() {
  const client = useClient()
  const queries = useQueries()
  const [open, setOpen] = useState(false)
  const [busy, setBusy] = useState(false)
  const { data: orphans = [], refetch } = useQuery(queries.task.orphans.queryOptions({ retry: false }))
  if (orphans.length === 0) return null
  const stop = async (pids: number[]): Promise<void> => {
    setBusy(true)
    try {
      const { stopped } = await client.task.killOrphans({ pids })
      showToast(stopped === 1 ? '1 process stopped' : `${stopped} processes stopped`)
    } catch (error) {
      showFailureToast(error)
    }
    await refetch()
    setBusy(false)
  }
  const bytes = orphans.reduce((sum, orphan) => sum + orphan.memoryBytes, 0)
  return (
    <section aria-label="Orphaned processes">
      <Banner
        tone="wait"
        icon={<Ghost aria-hidden />}
        actions={
          <>
            <Button size="small" aria-expanded={open} onClick={() => setOpen(!open)}>
              {open ? 'Hide' : 'Show'}
            </Button>
            <Button size="small" variant="danger" busy={busy} onClick={() => void stop(orphans.map(({ pid }) => pid))}>
              {orphans.length === 1 ? 'Stop' : `Stop all ${orphans.length}`}
            </Button>
          </>
        }
      >
        {orphans.length === 1
          ? '1 process of a task that has ended is'
          : `${orphans.length} processes of tasks that have ended are`}{' '}
        still running, using {formatMemory(bytes)}.
      </Banner>
      {open && (
        <ul className="max-h-[180px] overflow-y-auto border-b border-line px-[18px] py-1">
          {orphans.map((orphan) => (
            <li key={orphan.pid} className="flex h-[28px] items-center gap-3 text-small text-ink-2">
              <span className="w-[60px] flex-none text-right text-ink-3 tabular-nums">{orphan.pid}</span>
              <code className="min-w-0 flex-1 truncate" title={`${orphan.command} (left by ${orphan.taskId})`}>
                {orphan.command}
              </code>
              <span className="flex-none tabular-nums">{formatMemory(orphan.memoryBytes)}</span>
              <time className="flex-none text-ink-3" dateTime={new Date(orphan.startedAt).toISOString()}>
                since {formatMoment(orphan.startedAt)}
              </time>
              <Button
                size="small"
                variant="quiet"
                aria-label={`Stop process ${orphan.pid}`}
                onClick={() => void stop([orphan.pid])}
              >
                Stop
              </Button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
