import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  isNearLimit,
  limitAmount,
  limitName,
  type LimitState,
  type SessionUsage,
} from '../../../shared/model/turn/usage'
import { formatTokens } from '../../format/model-usage'
import { useSessionHeader } from '../../state/session/session-view'
import { useLayout } from '../../state/page/layout-state'
import { useQueries } from '../../state/page/queries'
import { Button } from '../../ui/button'
import { ChipButton } from '../../ui/chip'
import { cx } from '../../ui/cx'
import { Dialog } from '../../ui/overlay/dialog'
import { Skeleton } from '../../ui/loading'
import { costText } from './usage-text'
import { LoadError } from '../../ui/load-error'

/** How often the cost is read again while the session works, in ms. */
const REFRESH_MS = 3000

/** The cost of this session and its subagents; opens the details. Hidden without a known price or a near limit. */
export function SessionCost({ sessionId }: { sessionId: string }) {
  const queries = useQueries()
  const header = useSessionHeader(sessionId)
  const [open, setOpen] = useState(false)
  const busy = header?.turnId !== undefined
  // Refetched when the session has used more tokens; in between, for its subagents, it is polled.
  const spent = header ? header.spent.input + header.spent.output : 0
  const { data } = useQuery({
    ...queries.usage.session.queryOptions({ input: { sessionId } }),
    queryKey: ['usage', sessionId, spent, busy],
    placeholderData: (before: SessionUsage | undefined) => before,
    ...(busy && { refetchInterval: REFRESH_MS }),
  })
  if (!data || data.sessionId !== sessionId || data.total.requests === 0) return null
  const warned = data.limits.some(isNearLimit)
  const text = costText(data.total)
  const isUnknown = text === 'unknown'
  // A token limit applies even without prices.
  if (isUnknown && !warned) return null
  return (
    <>
      <ChipButton
        aria-label={isUnknown ? 'Near a limit, cost unknown' : `Cost: ${text}${warned ? ', near a limit' : ''}`}
        className={cx(
          'tabular-nums',
          warned && 'border-[color-mix(in_oklch,var(--wait)_45%,var(--line))] text-wait-ink',
        )}
        onClick={() => setOpen(true)}
      >
        {isUnknown ? 'Near a limit' : text}
      </ChipButton>
      {open && <CostDialog sessionId={sessionId} onClose={() => setOpen(false)} />}
    </>
  )
}

function CostDialog({ sessionId, onClose }: { sessionId: string; onClose: () => void }) {
  const queries = useQueries()
  const query = useQuery(
    queries.usage.session.queryOptions({ input: { sessionId, turns: true }, refetchOnMount: 'always' }),
  )
  const { data, error } = query
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Cost of this session"
      width={620}
      isText
      footer={
        <Button
          onClick={() => {
            onClose()
            useLayout.getState().openUsage()
          }}
        >
          All usage
        </Button>
      }
    >
      {error ? <LoadError query={query} /> : data ? <Details usage={data} /> : <Skeleton className="h-24" />}
    </Dialog>
  )
}

function Details({ usage: { total, own, agents, limits, turns = [] } }: { usage: SessionUsage }) {
  return (
    <div className="space-y-4 pb-1">
      <p className="text-ui text-ink-2">
        {costText(total)} for {total.requests === 1 ? '1 request' : `${total.requests} requests`}:{' '}
        {formatTokens(total.input)} tokens in, {formatTokens(total.cached)} of them cached, and{' '}
        {formatTokens(total.output)} out.
        {total.unpriced > 0 && ' The price of some of them is unknown.'}
      </p>
      {limits.length > 0 && (
        <section aria-label="Limits">
          {limits.map((limit) => (
            <Limit key={`${limit.scope} ${limit.unit}`} limit={limit} />
          ))}
        </section>
      )}
      {turns.length > 0 && (
        <CostTable
          title="Turns"
          rows={turns.map((turn) => ({ key: turn.turnId, name: turn.text || '(no text)', usage: turn }))}
        />
      )}
      {agents.length > 0 && (
        <CostTable
          title="Agents"
          rows={[
            { key: 'own', name: 'This session itself', usage: own },
            ...agents.map((agent) => ({
              key: agent.sessionId,
              name: `${'\u2003'.repeat(agent.depth - 1)}${agent.title}`,
              usage: agent,
            })),
          ]}
        />
      )}
    </div>
  )
}

function Limit({ limit }: { limit: LimitState }) {
  const share = Math.min(1, limit.spent / limit.limit)
  return (
    <p className={cx('text-small', isNearLimit(limit) ? 'text-wait-ink' : 'text-ink-2')}>
      Limit for {limitName(limit.scope)}: {limitAmount(limit.spent, limit.unit)} of{' '}
      {limitAmount(limit.limit, limit.unit)} ({Math.round(share * 100)}%)
    </p>
  )
}

interface CostRow {
  key: string
  name: string
  usage: SessionUsage['total']
}

function CostTable({ title, rows }: { title: string; rows: CostRow[] }) {
  return (
    <table className="w-full border-collapse text-ui tabular-nums">
      <caption className="pb-1 text-left text-small font-semibold text-ink-2">{title}</caption>
      <thead className="sr-only">
        <tr>
          <th scope="col">{title}</th>
          <th scope="col">Tokens</th>
          <th scope="col">Cost</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, name, usage }) => (
          <tr key={key} className="border-t border-line">
            <th scope="row" className="max-w-[1px] truncate py-1 pr-3 text-left font-normal">
              {name}
            </th>
            <td className="w-24 py-1 pr-3 text-right text-ink-3">{formatTokens(usage.input + usage.output)}</td>
            <td className="w-32 py-1 text-right whitespace-nowrap">{costText(usage)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
