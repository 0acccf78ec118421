import { ChevronRight } from 'lucide-react'
import { memo, useId } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { McpServerView } from '../../../shared/configuration/customize/mcp'
import { formatTokens } from '../../format/model-usage'
import { Badge, StatusDot } from '../../ui/badge'
import { cx } from '../../ui/cx'
import { Switch } from '../../ui/form/settings-controls'
import { ServerDetail, type ServerAction } from './server-detail'
import { SERVER_STATE_LABELS, tokensOf, toolCountText, TRANSPORT_LABELS, useMcpChange } from './mcp-servers'
import { useQueries } from '../../state/page/queries'
import { Dialog } from '../../ui/overlay/dialog'
import { Skeleton } from '../../ui/loading'
import { TerminalText } from '../../ui/content/terminal-text'
import { formatDate } from '../../../shared/language/speak'
import { LoadError } from '../../ui/load-error'

interface ServerRowProps {
  server: McpServerView
  userHome: string | undefined
  open: boolean
  onOpen: (serverId: string, open: boolean) => void
  onAction: (server: McpServerView, action: ServerAction) => void
}

const SCOPES = { user: undefined, project: 'this project', session: 'from the editor' } as const

/** One server: its status and its token cost; expanded, all details. Re-renders only when this server changes. */
export const ServerRow = memo(function ServerRow({ server, userHome, open, onOpen, onAction }: ServerRowProps) {
  const detailId = useId()
  const setEnabled = useMcpChange((mcp, change: { serverId: string; enabled: boolean }) => mcp.setEnabled(change))
  const { name, scope, state, transport, target, hiddenBy, error } = server
  const { dot, tone, word } = SERVER_STATE_LABELS[state]
  const tools = toolCountText(server)
  const enabled = setEnabled.isPending ? setEnabled.variables.enabled : state !== 'disabled'
  return (
    <li className="border-t border-line first:border-t-0">
      <div className="flex items-center gap-3 pr-3.5">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={detailId}
          onClick={() => onOpen(server.serverId, !open)}
          className="flex min-w-0 flex-1 items-start gap-2.5 py-2.5 pl-3.5 text-left focus-visible:-outline-offset-2"
        >
          <ChevronRight
            aria-hidden
            className={cx(
              'mt-[3px] size-[14px] flex-none text-ink-3 transition-transform duration-100',
              open && 'rotate-90',
            )}
          />
          <span className="min-w-0 flex-1">
            <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
              <span className="flex min-w-0 items-center gap-x-2">
                <StatusDot status={dot} silent />
                <span className="font-medium wrap-anywhere">{name}</span>
              </span>
              <Badge tone={tone}>{word}</Badge>
              {(server.plugin ?? SCOPES[scope]) !== undefined && (
                <Badge>{server.plugin === undefined ? SCOPES[scope] : 'plugin'}</Badge>
              )}
              {hiddenBy !== undefined && <Badge tone="wait">Overridden</Badge>}
            </span>
            <span className="block truncate font-mono text-tiny text-ink-3">{target}</span>
            {error && !open && state !== 'sign_in' && (
              <span className="line-clamp-1 text-small wrap-anywhere text-fail-ink">{error.message}</span>
            )}
          </span>
          <span className="mt-[1px] flex-none text-right text-small text-ink-3 tabular-nums max-mid:hidden">
            <span className="block">{tools ?? TRANSPORT_LABELS[transport]}</span>
            {tools !== undefined && <span className="block text-tiny">{formatTokens(tokensOf(server))} tokens</span>}
          </span>
        </button>
        {scope !== 'session' && (
          <Switch
            label={<span className="sr-only">Use {name}</span>}
            checked={enabled}
            disabled={state === 'asked'}
            onChange={(on) => setEnabled.mutate({ serverId: server.serverId, enabled: on })}
            className="flex-none gap-0!"
          />
        )}
      </div>
      <div id={detailId}>
        {open && <ServerDetail server={server} userHome={userHome} onAction={(action) => onAction(server, action)} />}
      </div>
    </li>
  )
})

/** Lines are appended while it is open. */
const REFETCH_MS = 1_500

const FROM = { stderr: '', server: 'server', connection: 'trestle' } as const

/** A server's output, log messages and connection events; the newest at the end. */
export function ServerLog({ server, onClose }: { server: McpServerView; onClose: () => void }) {
  const queries = useQueries()
  const query = useQuery(
    queries.mcp.logs.queryOptions({ input: { serverId: server.serverId }, refetchInterval: REFETCH_MS }),
  )
  const { data, error } = query
  const text = data
    ?.map(({ at, from, level, text: line }) =>
      [formatDate(at, { timeStyle: 'medium' }), FROM[from], level === 'error' || level === 'warning' ? level : '', line]
        .filter(Boolean)
        .join(' '),
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
        <LoadError query={query} />
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
