import { useQuery } from '@tanstack/react-query'
import { Ghost } from 'lucide-react'
import { useState } from 'react'
import { tell, tellFailure } from '../../state/toasts-state'
import { useClient, useQueries } from '../../state/trestle-context'
import { Banner } from '../../ui/banner'
import { Button } from '../../ui/button'
import { memory } from './task-words'

/** Processes that tasks have left running: how many, which, and how to be rid of them. */
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
      tell(stopped === 1 ? '1 process stopped' : `${stopped} processes stopped`)
    } catch (error) {
      tellFailure(error)
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
        {orphans.length === 1 ? '1 process of a task that has ended is' : `${orphans.length} processes of tasks that have ended are`} still
        running, using {memory(bytes)}.
      </Banner>
      {open && (
        <ul className="max-h-[180px] overflow-y-auto border-b border-line px-[18px] py-1">
          {orphans.map((orphan) => (
            <li key={orphan.pid} className="flex h-[28px] items-center gap-3 text-small text-ink-2">
              <span className="w-[60px] flex-none text-right text-ink-3 tabular-nums">{orphan.pid}</span>
              <code className="min-w-0 flex-1 truncate" title={`${orphan.command} (left by ${orphan.taskId})`}>
                {orphan.command}
              </code>
              <span className="flex-none tabular-nums">{memory(orphan.memoryBytes)}</span>
              <time className="flex-none text-ink-3" dateTime={new Date(orphan.startedAt).toISOString()}>
                since {new Date(orphan.startedAt).toLocaleString()}
              </time>
              <Button size="small" variant="quiet" aria-label={`Stop process ${orphan.pid}`} onClick={() => void stop([orphan.pid])}>
                Stop
              </Button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
