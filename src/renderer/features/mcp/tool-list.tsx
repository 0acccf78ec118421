import { Search } from 'lucide-react'
import { memo, useCallback, useState } from 'react'
import type { McpServerView, McpToolView } from '../../../shared/model/mcp'
import { tokenWords } from '../../state/token-words'
import { Badge } from '../../ui/badge'
import { Switch } from '../../ui/switch'
import { useMcpChange } from './use-mcp'

/** From so many tools on, a filter is worth its place. */
const MANY = 12

/** The tools of a server, each with its switch and what it costs in every request. */
export function ToolList({ server }: { server: McpServerView }) {
  const [filter, setFilter] = useState('')
  const setTool = useMcpChange((mcp, change: { serverId: string; tool: string; enabled: boolean }) => mcp.setToolEnabled(change))
  const wanted = filter.trim().toLocaleLowerCase()
  const tools = server.tools.filter((tool) => `${tool.name} ${tool.title ?? ''} ${tool.description}`.toLocaleLowerCase().includes(wanted))
  const { mutate } = setTool
  const { serverId } = server
  const toggle = useCallback((tool: string, enabled: boolean): void => mutate({ serverId, tool, enabled }), [mutate, serverId])
  return (
    <div>
      {server.tools.length >= MANY && (
        <div className="mb-2 flex h-[29px] items-center gap-2 rounded-md border border-line-strong bg-raised px-2.5 text-ink-3 has-[input:focus-visible]:outline-2 has-[input:focus-visible]:outline-offset-1 has-[input:focus-visible]:outline-focus">
          <Search aria-hidden className="size-[14px]" />
          <input
            aria-label={`Filter the tools of ${server.name}`}
            placeholder={`Filter ${server.tools.length} tools`}
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
            className="h-full min-w-0 flex-1 bg-transparent text-ui text-ink outline-none"
          />
        </div>
      )}
      <ul aria-label={`Tools of ${server.name}`} className="overflow-hidden rounded-md border border-line">
        {tools.map((tool) => {
          const pending = setTool.isPending && setTool.variables.tool === tool.name
          return <ToolRow key={tool.name} tool={tool} enabled={pending ? setTool.variables.enabled : tool.enabled} onToggle={toggle} />
        })}
        {tools.length === 0 && <li className="px-3 py-2 text-ui text-ink-3">No matching tools</li>}
      </ul>
    </div>
  )
}

interface ToolRowProps {
  tool: McpToolView
  enabled: boolean
  onToggle: (tool: string, enabled: boolean) => void
}

const ToolRow = memo(function ToolRow({ tool, enabled, onToggle }: ToolRowProps) {
  return (
    <li className="border-t border-line px-3 py-1.5 first:border-t-0">
      <Switch
        label={
          <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
            <span className="font-mono text-small wrap-anywhere">{tool.name}</span>
            {tool.readOnly && <Badge>Read-only</Badge>}
            {tool.destructive && <Badge tone="wait">Destructive</Badge>}
            {tool.problem !== undefined && <Badge tone="fail">Excluded</Badge>}
            <span className="text-tiny font-normal text-ink-3 tabular-nums">{tokenWords(tool.tokens)} tokens</span>
          </span>
        }
        description={
          <>
            <span className="line-clamp-2 wrap-anywhere">
              {tool.title === undefined ? tool.description : `${tool.title}. ${tool.description}`}
            </span>
            {tool.problem !== undefined && <span className="block text-fail-ink">{tool.problem}</span>}
          </>
        }
        checked={enabled && tool.problem === undefined}
        disabled={tool.problem !== undefined}
        onChange={(on) => onToggle(tool.name, on)}
      />
    </li>
  )
})
