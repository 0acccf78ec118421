import { Gauge } from 'lucide-react'
import type { Usage } from '../../../shared/model/message'
import { cx } from '../../ui/cx'
import { EmptyState } from '../../ui/empty-state'

interface ContextPaneProps {
  /** Tokens of the latest request. */
  context: Usage | undefined
  /** Tokens of all requests of the session. */
  spent: Usage
  /** Tokens the model can take; undefined when the model is not known. */
  contextWindow: number | undefined
  modelLabel: string | undefined
}

/** How full the model's window is, and what the session has used. The numbers are the provider's own. */
export function ContextPane({ context, spent, contextWindow, modelLabel }: ContextPaneProps) {
  if (!context) {
    return (
      <EmptyState icon={<Gauge aria-hidden />} title="Nothing sent yet">
        After the first answer this shows how much of the model's context window the conversation takes.
      </EmptyState>
    )
  }
  const used = context.input + context.output
  const share = contextWindow ? used / contextWindow : undefined
  const part = (tokens: number): string => `${contextWindow ? Math.min(100, (tokens / contextWindow) * 100) : 0}%`
  return (
    <div className="space-y-5 px-3.5 py-3.5">
      <section aria-label="Context window">
        <h3 className="text-tiny font-semibold text-ink-2">Context window</h3>
        <p className="mt-1 flex items-baseline gap-2 tabular-nums">
          <span className="text-title font-semibold">{share === undefined ? tokens(used) : `${percent(share)} %`}</span>
          <span className="text-small text-ink-3">
            {contextWindow ? `${tokens(used)} of ${tokens(contextWindow)} tokens` : 'tokens; the window of this model is not known'}
            {modelLabel && ` · ${modelLabel}`}
          </span>
        </p>
        {contextWindow !== undefined && (
          <div aria-hidden className={cx('mt-2 flex h-1.5 overflow-hidden rounded-full bg-line')}>
            <span className="bg-ink-3" style={{ width: part(Math.min(context.cached, context.input)) }} />
            <span className="bg-ink-2" style={{ width: part(Math.max(0, context.input - context.cached)) }} />
            <span className="bg-run" style={{ width: part(context.output) }} />
          </div>
        )}
      </section>
      <UsageTable title="Latest request" usage={context} />
      <UsageTable title="Whole session" usage={spent} />
    </div>
  )
}

function UsageTable({ title, usage }: { title: string; usage: Usage }) {
  const rows: [string, number, string?][] = [
    ['Input', usage.input],
    ['of it from cache', usage.cached, usage.input > 0 ? `${percent(usage.cached / usage.input)} %` : undefined],
    ['Output', usage.output],
    ['of it thinking', usage.thinking, usage.output > 0 ? `${percent(usage.thinking / usage.output)} %` : undefined],
  ]
  return (
    <table className="w-full text-ui tabular-nums">
      <caption className="pb-1 text-left text-tiny font-semibold text-ink-2">{title}</caption>
      <tbody>
        {rows.map(([name, value, share], index) => (
          <tr key={name} className="border-t border-line">
            <th scope="row" className={cx('py-[5px] text-left font-normal text-ink-2', index % 2 === 1 && 'pl-3 text-ink-3')}>
              {name}
            </th>
            <td className="py-[5px] text-right text-ink-3">{share}</td>
            <td className="w-24 py-[5px] text-right">{value.toLocaleString()}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function percent(share: number): string {
  const value = share * 100
  return value > 0 && value < 1 ? '< 1' : String(Math.round(value))
}

/** 950, 12.4k, 1.2M. */
function tokens(count: number): string {
  if (count < 1000) return String(count)
  if (count < 999_500) return `${trim(count / 1000)}k`
  return `${trim(count / 1_000_000)}M`
}

function trim(value: number): string {
  return value < 100 ? value.toFixed(1).replace(/\.0$/, '') : String(Math.round(value))
}
