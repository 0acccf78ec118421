import { Plug } from 'lucide-react'
import { Fragment, useState, type ReactNode } from 'react'
import type { McpServerView } from '../../../shared/configuration/customize/mcp'
import { useLayout } from '../../state/page/layout-state'
import { Banner } from '../../ui/notice'
import { Button } from '../../ui/button'
import { useMcpList } from './mcp-servers'

interface ServerNoticeProps {
  folder: string
  /** A turn is running: only then are servers needed. */
  busy: boolean
}

/**
 * Shows once that a server of the project provides no tools, with a link to the fix. Nothing is queried before the
 * first turn.
 */
export function ServerNotice({ folder, busy }: ServerNoticeProps) {
  const [wasBusy, setWasBusy] = useState(busy)
  if (busy && !wasBusy) setWasBusy(true)
  return wasBusy ? <Troubles folder={folder} /> : null
}

function Troubles({ folder }: { folder: string }) {
  const { data: list } = useMcpList(folder)
  const dismissed = useLayout((layout) => layout.dismissedNotices)
  const troubled = (list?.servers ?? []).filter((server) => isTroubled(server) && !dismissed.includes(noticeOf(server)))
  const [first] = troubled
  if (!first) return null
  const put = (): void => {
    for (const server of troubled) useLayout.getState().dismissNotice(noticeOf(server))
  }
  return (
    <Banner
      tone="wait"
      icon={<Plug aria-hidden />}
      actions={
        <Button
          size="small"
          onClick={() => {
            put()
            useLayout.getState().openSettings('mcp', first.serverId)
          }}
        >
          View details
        </Button>
      }
      onDismiss={put}
    >
      <span role="status">
        {sentence(troubled)} The agent will continue without {troubled.length === 1 ? 'it' : 'them'}.
      </span>
    </Banner>
  )
}

function isTroubled({ state, hiddenBy }: McpServerView): boolean {
  return hiddenBy === undefined && (state === 'sign_in' || state === 'failed')
}

/** Shown again only when the problem changes. */
function noticeOf({ serverId, state }: McpServerView): string {
  return `mcp:${serverId}:${state}`
}

function sentence(troubled: readonly McpServerView[]): ReactNode {
  const parts = (['sign_in', 'failed'] as const).flatMap((state) => {
    const names = troubled.filter((server) => server.state === state).map(({ name }) => name)
    if (names.length === 0) return []
    const who = names.length > 2 ? `${names.slice(0, 2).join(', ')} and ${names.length - 2} more` : names.join(' and ')
    const what = state === 'failed' ? 'could not be reached' : `${names.length === 1 ? 'requires' : 'require'} sign-in`
    return { state, who, what }
  })
  return (
    <>
      {troubled.length === 1 ? 'The MCP server ' : 'MCP servers: '}
      {parts.map(({ state, who, what }, n) => (
        <Fragment key={state}>
          {n > 0 && '; '}
          <b className="font-semibold">{who}</b> {what}
        </Fragment>
      ))}
      .
    </>
  )
}
