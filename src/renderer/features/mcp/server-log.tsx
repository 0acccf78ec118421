import { useQuery } from '@tanstack/react-query'
import type { McpServerView } from '../../../shared/model/mcp'
import { failureFrom } from '../../client/failure-from'
import { useQueries } from '../../state/trestle-context'
import { Dialog } from '../../ui/dialog'
import { ErrorNote } from '../../ui/error-note'
import { Skeleton } from '../../ui/skeleton'
import { TerminalText } from '../../ui/content/terminal-text'

/** While it is looked at, lines are added. */
const LOOK_AGAIN_MS = 1_500

const FROM = { stderr: '', server: 'server', connection: 'trestle' } as const

/** What a server printed and logged, and what happened to its connection; the newest at the end. */
export function ServerLog({ server, onClose }: { server: McpServerView; onClose: () => void }) {
  const queries = useQueries()
  const { data, error } = useQuery(queries.mcp.logs.queryOptions({ input: { serverId: server.serverId }, refetchInterval: LOOK_AGAIN_MS }))
  const text = data
    ?.map(({ at, from, level, text: line }) =>
      [timeOf(at), FROM[from], level === 'error' || level === 'warning' ? level : '', line].filter(Boolean).join(' '),
    )
    .join('\n')
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      width={820}
      title={`Log of ${server.name}`}
      description="Its stderr, log messages and connection events."
    >
      {error ? (
        <ErrorNote failure={failureFrom(error)} />
      ) : text === undefined ? (
        <Skeleton className="h-24 w-full rounded-md" />
      ) : text === '' ? (
        <p className="py-2 text-ui text-ink-3">Nothing yet. Output appears once the server starts.</p>
      ) : (
        <div className="[&_pre]:max-h-[60dvh]">
          <TerminalText text={text} live label={`Log of ${server.name}`} />
        </div>
      )}
    </Dialog>
  )
}

function timeOf(at: number): string {
  return new Date(at).toLocaleTimeString([], { hour12: false })
}
