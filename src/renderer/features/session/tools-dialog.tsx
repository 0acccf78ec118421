import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ChevronRight } from 'lucide-react'
import type { ServerToolsCost, ToolsView, SessionTool } from '../../../shared/model/turn/context'
import { formatKilobytes } from '../../format/model-usage'
import { useClient } from '../../state/page/queries'
import { Dialog } from '../../ui/overlay/dialog'
import { Skeleton } from '../../ui/loading'
import { TextField } from '../../ui/form/field'
import { Badge } from '../../ui/badge'
import { cx } from '../../ui/cx'
import { LoadError } from '../../ui/load-error'

/** Number of tools from which a filter is shown and groups start collapsed. */
const MANY = 30

export interface ToolsDialogProps {
  sessionId: string
  open: boolean
  onOpenChange: (open: boolean) => void
}

/** Every tool of a session with its token cost; `/tools` opens it. */
export function ToolsDialog({ sessionId, open, onOpenChange }: ToolsDialogProps) {
  const client = useClient()
  const query = useQuery({
    queryKey: [['mcp'], 'tools', sessionId],
    queryFn: () => client.session.tools({ sessionId }),
    enabled: open,
    gcTime: 0,
    retry: false,
  })
  const { data, error } = query
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Tools"
      description={data ? <Summary view={data} /> : 'What the agent can call.'}
      width={680}
    >
      {data ? (
        <ToolList view={data} />
      ) : error ? (
        <LoadError query={query} />
      ) : (
        <div className="space-y-2" aria-label="Loading">
          <Skeleton className="h-9 w-full rounded-lg" />
          <Skeleton className="h-9 w-full rounded-lg" />
        </div>
      )}
    </Dialog>
  )
}

function Summary({ view: { tools, cost } }: { view: ToolsView }) {
  const sent = sentWithRequests(toolGroups(tools, ''))
  const off = tools.filter(({ state }) => state === 'off').length
  return (
    <>
      {sent.tools === 1 ? '1 tool is' : `${sent.tools} tools are`} sent with every request, about{' '}
      {sent.tokens.toLocaleString()} tokens. {off > 0 && `${off} ${off === 1 ? 'is' : 'are'} off. `}
      {cost?.isSearching && <Searching cost={cost} />}
    </>
  )
}

function Searching({ cost: { tools, sent, bytesAll, bytesSent } }: { cost: ServerToolsCost }) {
  return (
    <>
      Tool search is on: {(tools - sent).toLocaleString()} more are only listed until the agent asks for them. MCP tools
      take {formatKilobytes(bytesSent)} of each request instead of {formatKilobytes(bytesAll)}.
    </>
  )
}

function ToolList({ view: { tools } }: { view: ToolsView }) {
  const [query, setQuery] = useState('')
  const groups = toolGroups(tools, query)
  return (
    <>
      {tools.length > MANY && (
        <TextField
          label="Filter tools"
          hideLabel
          type="search"
          placeholder="Filter tools"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          className="mb-2"
        />
      )}
      {groups.length === 0 ? (
        <p className="py-6 text-center text-ui text-ink-2">No tools match {query.trim()}.</p>
      ) : (
        <div className="overflow-hidden rounded-lg border border-line">
          {groups.map((group) => (
            // A query expands the groups with matches.
            <ToolGroupView
              key={`${group.server ?? ''}\n${query === ''}`}
              group={group}
              open={query !== '' || tools.length <= MANY || groups.length === 1}
            />
          ))}
        </div>
      )}
    </>
  )
}

/** The tools of one server, or the built-in ones, collapsed at first. */
function ToolGroupView({ group, open }: { group: ToolGroup; open: boolean }) {
  const { server, tools, sent, sentTokens, allTokens } = group
  return (
    <details open={open} className="group border-t border-line first:border-t-0">
      <summary
        className={cx(
          'flex min-h-[36px] cursor-pointer list-none items-center',
          'gap-2 px-3 py-1.5 [&::-webkit-details-marker]:hidden',
        )}
      >
        <ChevronRight aria-hidden className="size-3.5 flex-none text-ink-3 transition-transform group-open:rotate-90" />
        <span className="min-w-0 flex-1 truncate font-medium">{server ?? 'Built-in'}</span>
        <span className="flex-none text-small text-ink-3">
          {sent === tools.length ? counted(sent) : `${sent} of ${counted(tools.length)}`}
        </span>
        <span className="w-40 flex-none text-right text-small tabular-nums max-mid:w-auto">
          {sentTokens === allTokens
            ? `${sentTokens.toLocaleString()} tokens`
            : `${sentTokens.toLocaleString()} of ${allTokens.toLocaleString()} tokens`}
        </span>
      </summary>
      <ul className="pb-1.5">
        {tools.map((tool) => (
          <ToolRow key={tool.name} tool={tool} />
        ))}
      </ul>
    </details>
  )
}

function counted(tools: number): string {
  return tools === 1 ? '1 tool' : `${tools} tools`
}

function ToolRow({ tool }: { tool: SessionTool }) {
  const { name, server, description, state, reason, tokens } = tool
  return (
    <li className="flex items-baseline gap-2 py-1 pr-3 pl-[34px]">
      <div className="min-w-0 flex-1">
        <p className={cx('flex flex-wrap items-baseline gap-x-2', state === 'off' && 'text-ink-3')}>
          <span className="font-mono text-small wrap-anywhere" title={name}>
            {server?.tool ?? name}
          </span>
          {state === 'deferred' && <Badge>on demand</Badge>}
          {state === 'off' && <Badge>off</Badge>}
        </p>
        <p className="truncate text-small text-ink-3" title={description}>
          {state === 'off' && reason !== undefined ? reason : description}
        </p>
      </div>
      <span className={cx('flex-none text-small tabular-nums', state === 'active' ? 'text-ink' : 'text-ink-3')}>
        {Math.round(tokens).toLocaleString()}
        <span className="sr-only"> tokens</span>
      </span>
    </li>
  )
}

/** The tools of one server, or the built-in ones (`server` undefined). */
interface ToolGroup {
  server?: string
  tools: SessionTool[]
  /** Number of tools sent with each request. */
  sent: number
  /** Tokens of the tools sent with each request. */
  sentTokens: number
  /** Tokens of all enabled tools. */
  allTokens: number
}

/**
 * Built-in tools first, then each server in the order of the list; only tools that match the query, and no empty
 * groups.
 */
export function toolGroups(tools: readonly SessionTool[], query: string): ToolGroup[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const groups = new Map<string | undefined, ToolGroup>()
  for (const tool of tools) {
    const text = `${tool.name} ${tool.server?.name ?? ''} ${tool.server?.tool ?? ''} ${tool.description}`.toLowerCase()
    if (!words.every((word) => text.includes(word))) continue
    const server = tool.server?.name
    const group = groups.get(server) ?? {
      ...(server !== undefined && { server }),
      tools: [],
      sent: 0,
      sentTokens: 0,
      allTokens: 0,
    }
    groups.set(server, group)
    group.tools.push(tool)
    // Whole tokens as shown in each row, so that the rows add up to the totals.
    const tokens = Math.round(tool.tokens)
    if (tool.state === 'active') {
      group.sent += 1
      group.sentTokens += tokens
    }
    if (tool.state !== 'off') group.allTokens += tokens
  }
  return [...groups.values()].toSorted((a, b) => Number(a.server !== undefined) - Number(b.server !== undefined))
}

/** The totals over the groups: the tools sent with each request, and their tokens. */
export function sentWithRequests(groups: readonly ToolGroup[]): { tools: number; tokens: number } {
  return {
    tools: groups.reduce((sum, group) => sum + group.sent, 0),
    tokens: groups.reduce((sum, group) => sum + group.sentTokens, 0),
  }
}
