import { Gauge } from 'lucide-react'
import type { Usage } from '../../../shared/model/message'
import type { SessionHeader } from '../../../shared/model/session'
import { useContextView } from '../../state/context-view'
import { costWords, GUESS_MEANING } from '../../state/model-words'
import { tokenWords } from '../../state/token-words'
import { Badge } from '../../ui/badge'
import { cx } from '../../ui/cx'
import { EmptyState } from '../../ui/empty-state'
import { CompactNow } from './compact-now'
import { ContextBreakdown } from './context-breakdown'
import { ServerToolsPart } from './server-tools-part'

interface ContextPaneProps {
  header: SessionHeader
  /** Tokens the model can take; undefined when the model is not known. */
  contextWindow: number | undefined
  modelLabel: string | undefined
  /** Nothing is known of the model: its window is assumed. */
  isGuess: boolean
  /** Goes to a call in the conversation. */
  onJump: (callId: string) => void
}

/** How full the model's window is and of what, the way to make room, and what the session has used. */
export function ContextPane({ header, contextWindow, modelLabel, isGuess, onJump }: ContextPaneProps) {
  const view = useContextView(header.sessionId)
  const { context, spent } = header
  if (header.turns === 0) {
    return (
      <EmptyState icon={<Gauge aria-hidden />} title="Nothing sent yet">
        After the first answer, this shows how much of the context window is used.
      </EmptyState>
    )
  }
  const window = view?.window ?? contextWindow
  const used = context ? context.input + context.output : view?.used
  const share = window && used !== undefined ? used / window : undefined
  return (
    <div className="space-y-5 px-3.5 py-3.5">
      <section aria-label="Context window">
        <h2 className="text-tiny font-semibold text-ink-2">Context window</h2>
        {used !== undefined && (
          <p className="mt-1 flex items-baseline gap-2 tabular-nums">
            <span className="text-title font-semibold">{share === undefined ? tokenWords(used) : `${percent(share)}%`}</span>
            <span className="text-small text-ink-3">
              {window ? `${tokenWords(used)} of ${tokenWords(window)} tokens` : 'tokens (context window unknown)'}
              {modelLabel && ` · ${modelLabel}`}
            </span>
            {isGuess && (
              <span title={GUESS_MEANING}>
                <Badge tone="wait">guess</Badge>
              </span>
            )}
          </p>
        )}
        {view && <ContextBreakdown view={view} onJump={onJump} />}
      </section>
      {view?.serverTools && <ServerToolsPart cost={view.serverTools} />}
      <CompactNow header={header} compactable={view?.compactable ?? false} />
      {context && <UsageTable title="Latest request" usage={context} />}
      <UsageTable title="Whole session" usage={spent} />
    </div>
  )
}

function UsageTable({ title, usage }: { title: string; usage: Usage }) {
  const rows: [string, number, string?][] = [
    ['Input', usage.input],
    ['cached', usage.cached, usage.input > 0 ? `${percent(usage.cached / usage.input)}%` : undefined],
    ['Output', usage.output],
    ['reasoning', usage.thinking, usage.output > 0 ? `${percent(usage.thinking / usage.output)}%` : undefined],
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
        {usage.cost !== undefined && (
          <tr className="border-t border-line">
            <th scope="row" className="py-[5px] text-left font-normal text-ink-2">
              Cost
            </th>
            <td className="py-[5px] text-right text-ink-3">{usage.isCostPartial && 'at least'}</td>
            <td className="w-24 py-[5px] text-right">{costWords(usage.cost)}</td>
          </tr>
        )}
      </tbody>
    </table>
  )
}

function percent(share: number): string {
  const value = share * 100
  return value > 0 && value < 1 ? '< 1' : String(Math.round(value))
}
