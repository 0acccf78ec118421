import { Plug, RotateCw } from 'lucide-react'
import { useState } from 'react'
import type { McpServerView } from '../../../shared/configuration/customize/mcp'
import { formatTokens } from '../../format/model-usage'
import { Button, IconButton } from '../../ui/button'
import { StatusDot } from '../../ui/badge'
import { EmptyState } from '../../ui/notice'
import { Skeleton } from '../../ui/loading'
import { SERVER_STATE_LABELS, tokensOf, toolCountText, useMcpChange, useMcpList } from './mcp-servers'
import { SignInDialog } from './sign-in-dialog'
import { LoadError } from '../../ui/load-error'

/** The status of the MCP servers of a session's project; details are in the settings. */
export function McpPane({ folder, onOpenSettings }: { folder: string; onOpenSettings: () => void }) {
  const query = useMcpList(folder)
  const { data: list, error } = query
  const [signingIn, setSigningIn] = useState<McpServerView>()
  if (error) return <LoadError className="m-3.5" query={query} />
  if (!list) return <Skeleton className="m-4 w-2/3" />
  const settings = (
    <Button size="small" onClick={onOpenSettings}>
      Manage servers
    </Button>
  )
  if (list.servers.length === 0 && list.problems.length === 0)
    return (
      <EmptyState icon={<Plug aria-hidden />} title="No MCP servers" actions={settings}>
        Servers give the agent more tools. Add them in Settings, or with a .mcp.json in the project.
      </EmptyState>
    )
  return (
    <div className="pb-3">
      <ul aria-label="MCP servers">
        {list.servers
          .filter(({ hiddenBy }) => hiddenBy === undefined)
          .map((server) => (
            <PaneRow key={server.serverId} server={server} onSignIn={() => setSigningIn(server)} />
          ))}
      </ul>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3.5 pt-3">
        {settings}
        {list.problems.length > 0 && (
          <span className="text-small text-fail-ink">
            {list.problems.length === 1 ? '1 mistake' : `${list.problems.length} mistakes`} in the files
          </span>
        )}
      </div>
      {signingIn && <SignInDialog server={signingIn} onClose={() => setSigningIn(undefined)} />}
    </div>
  )
}

function PaneRow({ server, onSignIn }: { server: McpServerView; onSignIn: () => void }) {
  const restart = useMcpChange((mcp, serverId: string) => mcp.restart({ serverId }))
  const { serverId, name, state, error } = server
  const { dot, word } = SERVER_STATE_LABELS[state]
  const tools = toolCountText(server)
  return (
    <li className="border-b border-line px-3.5 py-2.5">
      <div className="flex items-center gap-2.5">
        <StatusDot status={dot} silent />
        <span className="min-w-0 flex-1 truncate font-medium" title={name}>
          {name}
        </span>
        {state === 'sign_in' && (
          <Button size="small" onClick={onSignIn}>
            Sign in
          </Button>
        )}
        {(state === 'ready' || state === 'failed' || state === 'reconnecting') && (
          <IconButton
            label={`Restart ${name}`}
            className="-my-1 size-[24px]"
            aria-busy={restart.isPending || undefined}
            disabled={restart.isPending}
            onClick={() => restart.mutate(serverId)}
          >
            <RotateCw aria-hidden />
          </IconButton>
        )}
      </div>
      <p className="pl-[17px] text-small text-ink-3 tabular-nums">
        {[word, tools, tools === undefined ? undefined : `${formatTokens(tokensOf(server))} tokens`]
          .filter(Boolean)
          .join(' · ')}
      </p>
      {error && state !== 'sign_in' && (
        <p className="mt-0.5 line-clamp-3 pl-[17px] text-small wrap-anywhere text-fail-ink">{error.message}</p>
      )}
    </li>
  )
}
