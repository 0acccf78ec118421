import { ChevronRight } from 'lucide-react'
import type { SessionTool } from '../../../shared/model/tools-view'
import { Badge } from '../../ui/badge'
import { cx } from '../../ui/cx'
import type { ToolGroup } from './tool-groups'

/** One server's tools, or Trestle's own, folded until somebody wants to see them. */
export function ToolGroupView({ group, open }: { group: ToolGroup; open: boolean }) {
  const { server, tools, sent, sentTokens, allTokens } = group
  return (
    <details open={open} className="group border-t border-line first:border-t-0">
      <summary className="flex min-h-[36px] cursor-pointer list-none items-center gap-2 px-3 py-1.5 [&::-webkit-details-marker]:hidden">
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
