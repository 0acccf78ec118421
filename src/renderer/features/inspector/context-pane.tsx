import { Gauge, FoldVertical, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Usage } from '../../../shared/model/turn/message'
import type { SessionHeader } from '../../../shared/model/session/session'
import { formatCost } from '../../../shared/model/turn/usage'
import { GUESSED_MODEL_NOTE, formatTokens } from '../../format/model-usage'
import { Badge } from '../../ui/badge'
import { cx } from '../../ui/cx'
import { EmptyState } from '../../ui/notice'
import { ContextBreakdown, ServerToolsPart } from './context-breakdown'
import { showFailureToast } from '../../state/page/toasts-state'
import { useClient } from '../../state/page/queries'
import { Button } from '../../ui/button'
import { TextField } from '../../ui/form/field'
import type { ContextView } from '../../../shared/model/turn/context'
import { useSessionHeader } from '../../state/session/session-view'

interface ContextPaneProps {
  header: SessionHeader
  /** The context window in tokens; undefined when the model is not known. */
  contextWindow: number | undefined
  modelLabel: string | undefined
  /** The model is unknown: its window is assumed. */
  isGuess: boolean
  /** Scrolls to a call in the conversation. */
  onJump: (callId: string) => void
}

/** The usage of the context window, the compact button, and the session's token usage. */
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
            <span className="text-title font-semibold">
              {share === undefined ? formatTokens(used) : `${percent(share)}%`}
            </span>
            <span className="text-small text-ink-3">
              {window ? `${formatTokens(used)} of ${formatTokens(window)} tokens` : 'tokens (context window unknown)'}
              {modelLabel && ` · ${modelLabel}`}
            </span>
            {isGuess && (
              <span title={GUESSED_MODEL_NOTE}>
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
            <th
              scope="row"
              className={cx('py-[5px] text-left font-normal text-ink-2', index % 2 === 1 && 'pl-3 text-ink-3')}
            >
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
            <td className="w-24 py-[5px] text-right">{formatCost(usage.cost)}</td>
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

/** Compacts the conversation on request, with instructions on what to keep; and undoes the latest compaction. */
function CompactNow({ header, compactable }: { header: SessionHeader; compactable: boolean }) {
  const client = useClient()
  const [keep, setKeep] = useState('')
  const { sessionId, compacted, compacting, turnId } = header
  const busy = turnId !== undefined
  const compact = (): void => {
    const instruction = keep.trim()
    client.session
      .compact({ sessionId, ...(instruction !== '' && { instruction }) })
      .then(() => setKeep(''), showFailureToast)
  }
  const undo = (compactionId: string): void =>
    void client.session.undoCompaction({ sessionId, compactionId }).catch(showFailureToast)
  return (
    <form
      aria-label="Compact the conversation"
      className="space-y-2.5"
      onSubmit={(event) => {
        event.preventDefault()
        if (!busy && compactable && !compacting) compact()
      }}
    >
      <TextField
        label="Compact"
        hint="Replaces the conversation with a summary. Your messages and to-dos are kept. You can undo it."
        placeholder="What to keep, e.g. the API decisions"
        value={keep}
        onChange={(event) => setKeep(event.target.value)}
      />
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          size="small"
          icon={<FoldVertical aria-hidden />}
          busy={compacting !== undefined}
          disabled={busy || !compactable}
          title={busy ? 'When the turn has ended' : undefined}
        >
          Compact now
        </Button>
        {compacted && (
          <Button
            size="small"
            variant="quiet"
            icon={<Undo2 aria-hidden />}
            disabled={busy || compacting !== undefined}
            onClick={() => undo(compacted.compactionId)}
          >
            Undo last compaction
          </Button>
        )}
      </div>
    </form>
  )
}

/** The content of the next request of a session; read again when a step has ended. Undefined while unknown. */
function useContextView(sessionId: string): ContextView | undefined {
  const client = useClient()
  const header = useSessionHeader(sessionId)
  const { data } = useQuery({
    queryKey: [
      'context',
      sessionId,
      header?.model,
      header?.spent,
      header?.turns,
      header?.turnId,
      header?.compacted?.seq,
    ],
    queryFn: () => client.session.context({ sessionId }),
    enabled: header !== undefined && header.turns > 0,
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
  })
  return data
}
