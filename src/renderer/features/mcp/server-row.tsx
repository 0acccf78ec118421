import { ChevronRight } from 'lucide-react'
import { memo, useId } from 'react'
import type { McpServerView } from '../../../shared/model/mcp'
import { tokenWords } from '../../state/token-words'
import { Badge } from '../../ui/badge'
import { cx } from '../../ui/cx'
import { Dot } from '../../ui/dot'
import { Switch } from '../../ui/switch'
import { ServerDetail, type ServerAction } from './server-detail'
import { STATE_WORDS, tokensOf, toolWords, TRANSPORT_WORDS } from './server-words'
import { useMcpChange } from './use-mcp'

interface ServerRowProps {
  server: McpServerView
  userHome: string | undefined
  open: boolean
  onOpen: (serverId: string, open: boolean) => void
  onAction: (server: McpServerView, action: ServerAction) => void
}

const SCOPES = { user: undefined, project: 'this project', session: 'from the editor' } as const

/** One server: how it stands and what it costs; opened, everything about it. Drawn anew only when something about this server has changed. */
export const ServerRow = memo(function ServerRow({ server, userHome, open, onOpen, onAction }: ServerRowProps) {
  const detailId = useId()
  const setEnabled = useMcpChange((mcp, change: { serverId: string; enabled: boolean }) => mcp.setEnabled(change))
  const { name, scope, state, transport, target, hiddenBy, error } = server
  const { dot, tone, word } = STATE_WORDS[state]
  const tools = toolWords(server)
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
            className={cx('mt-[3px] size-[14px] flex-none text-ink-3 transition-transform duration-100', open && 'rotate-90')}
          />
          <span className="min-w-0 flex-1">
            <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
              <span className="flex min-w-0 items-center gap-x-2">
                <Dot status={dot} silent />
                <span className="font-medium wrap-anywhere">{name}</span>
              </span>
              <Badge tone={tone}>{word}</Badge>
              {SCOPES[scope] !== undefined && <Badge>{SCOPES[scope]}</Badge>}
              {hiddenBy !== undefined && <Badge tone="wait">Overridden</Badge>}
            </span>
            <span className="block truncate font-mono text-tiny text-ink-3">{target}</span>
            {error && !open && state !== 'sign_in' && (
              <span className="line-clamp-1 text-small wrap-anywhere text-fail-ink">{error.message}</span>
            )}
          </span>
          <span className="mt-[1px] flex-none text-right text-small text-ink-3 tabular-nums max-mid:hidden">
            <span className="block">{tools ?? TRANSPORT_WORDS[transport]}</span>
            {tools !== undefined && <span className="block text-tiny">{tokenWords(tokensOf(server))} tokens</span>}
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
