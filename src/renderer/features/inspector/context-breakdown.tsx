import {
  CONTEXT_KINDS,
  type ContextKind,
  type ContextView,
  type ServerToolsCost,
} from '../../../shared/model/turn/context'
import { formatTokens, formatKilobytes } from '../../format/model-usage'
import { cx } from '../../ui/cx'

const CONTEXT_KIND_LABELS: Record<ContextKind, string> = {
  system: 'System prompt and instructions',
  tools: 'Tools',
  memory: 'Memory',
  files: 'Files read',
  results: 'Other tool results',
  conversation: 'Conversation',
}
/** From the fixed parts to the growing ones. */
const SHADES: Record<ContextKind, string> = {
  system: 'bg-ink',
  tools: 'bg-ink-2',
  memory: 'bg-done',
  files: 'bg-run',
  results: 'bg-[color-mix(in_oklab,var(--run)_55%,var(--panel))]',
  conversation: 'bg-ink-3',
}

/** The content of the context window, by kind, and the largest single items. */
export function ContextBreakdown({ view, onJump }: { view: ContextView; onJump: (callId: string) => void }) {
  const share = (tokens: number): string => `${Math.min(100, (tokens / Math.max(1, view.window)) * 100)}%`
  return (
    <>
      <div
        aria-hidden
        className="relative mt-2 flex h-1.5 overflow-hidden rounded-full bg-line forced-color-adjust-none"
      >
        {CONTEXT_KINDS.map((kind) => (
          <span key={kind} className={SHADES[kind]} style={{ width: share(view.parts[kind]) }} />
        ))}
        <span className="absolute inset-y-0 w-px bg-wait" style={{ left: share(view.limit) }} />
      </div>
      <dl className="mt-2.5 text-ui tabular-nums">
        {CONTEXT_KINDS.filter((kind) => kind !== 'memory' || view.parts.memory > 0).map((kind) => (
          <div key={kind} className="flex items-center gap-2 py-[3px]">
            <dt className="flex min-w-0 flex-1 items-center gap-2 text-ink-2">
              <span
                aria-hidden
                className={cx('size-2 flex-none rounded-[2px] forced-color-adjust-none', SHADES[kind])}
              />
              {CONTEXT_KIND_LABELS[kind]}
            </dt>
            <dd>{formatTokens(view.parts[kind])}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-1.5 text-tiny text-ink-3">
        Estimates. At {formatTokens(view.limit)}, older results are trimmed, then the conversation is summarized.
      </p>
      {view.heaviest.length > 0 && (
        <>
          <h2 className="mt-4 text-tiny font-semibold text-ink-2">Largest items</h2>
          <ul className="mt-1 text-small">
            {view.heaviest.map(({ kind, label, tokens, callId }, index) => (
              <li
                key={`${index}-${label}`}
                className="flex min-h-[26px] items-center gap-2 border-t border-line first:border-t-0"
              >
                <span aria-hidden className={cx('size-2 flex-none rounded-[2px]', SHADES[kind])} />
                {callId === undefined ? (
                  <span className="min-w-0 flex-1 truncate text-ink-2">{label}</span>
                ) : (
                  <button
                    type="button"
                    title={label}
                    onClick={() => onJump(callId)}
                    className="min-w-0 flex-1 truncate rounded-[4px] text-left text-ink hover:underline"
                  >
                    {label}
                  </button>
                )}
                <span className="flex-none tabular-nums">{formatTokens(tokens)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

/** The tokens of MCP tool schemas in each request, with and without tool search. */
export function ServerToolsPart({ cost }: { cost: ServerToolsCost }) {
  const { tools, sent, isSearching, bytesAll, bytesSent } = cost
  return (
    <section aria-label="MCP tools">
      <h2 className="text-tiny font-semibold text-ink-2">MCP tools</h2>
      <dl className="mt-1 text-ui tabular-nums">
        <Line
          name={isSearching ? 'In each request, with tool search' : 'In each request'}
          value={formatKilobytes(bytesSent)}
        />
        {isSearching && <Line name="Without it" value={formatKilobytes(bytesAll)} />}
      </dl>
      <p className="mt-1 text-tiny text-ink-3">
        {isSearching
          ? `${sent.toLocaleString()} of ${tools.toLocaleString()} tools are sent in full, ` +
            'the others are loaded on demand.'
          : `${tools === 1 ? 'The schema of 1 tool' : `The schemas of ${tools.toLocaleString()} tools`}. ` +
            'To load them on demand, turn on tool search in Settings.'}
      </p>
    </section>
  )
}

function Line({ name, value }: { name: string; value: string }) {
  return (
    <div className="flex items-center gap-2 py-[3px]">
      <dt className="min-w-0 flex-1 text-ink-2">{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
