import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import {
  USAGE_GROUPS,
  type PriceTable,
  type UsageGroup,
  type UsageReport,
  type UsageRow,
} from '../../../shared/model/turn/usage'
import { shortPath } from '../../format/folder-name'
import { tableDate, formatTokens } from '../../format/model-usage'
import { useLayout } from '../../state/page/layout-state'
import { useQueries } from '../../state/page/queries'
import { usePlaces } from '../../state/places'
import { Button } from '../../ui/button'
import { CONTROL_CLASS } from '../../ui/form/field'
import { Skeleton } from '../../ui/loading'
import { EmptyState } from '../../ui/notice'
import { UsageChart, type Measure } from './usage-chart'
import { cacheShare, costText, dayText, isUnpriced, usageCsv } from './usage-text'
import { LoadError } from '../../ui/load-error'

const SELECT = `${CONTROL_CLASS} h-[29px] w-auto!`
const RANGES = [7, 30, 90] as const
const GROUP_NAMES: Record<UsageGroup, string> = { day: 'Day', model: 'Model', project: 'Project', session: 'Session' }

/** The usage of models: a chart by day, and tables by day, model, project and session. */
export function UsagePage({ userHome }: { userHome: string | undefined }) {
  const queries = useQueries()
  const [days, setDays] = useState(30)
  const [by, setBy] = useState<UsageGroup>('model')
  const [chosen, setChosen] = useState<Measure>()
  const places = usePlaces()
  /** Undefined: everywhere; null: this machine. */
  const [place, setPlace] = useState<string | null>()
  const query = useQuery(
    queries.usage.report.queryOptions({
      input: { by, days, ...(place !== undefined && { place }) },
      placeholderData: keepPreviousData,
      refetchOnMount: 'always',
      refetchInterval: 30_000,
    }),
  )
  const { data: report, error } = query
  // Without any price, a chart of costs would be empty.
  const measure = chosen ?? (report && isUnpriced(report.total) ? 'tokens' : 'cost')
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div
        role="toolbar"
        aria-label="Usage"
        className="flex flex-none flex-wrap items-center gap-2 border-b border-line px-[18px] py-2 max-mid:px-3"
      >
        <select
          aria-label="Range"
          value={days}
          className={SELECT}
          onChange={(event) => setDays(Number(event.target.value))}
        >
          {RANGES.map((range) => (
            <option key={range} value={range}>
              Last {range} days
            </option>
          ))}
        </select>
        <select
          aria-label="Measure"
          value={measure}
          className={SELECT}
          onChange={(event) => setChosen(event.target.value === 'tokens' ? 'tokens' : 'cost')}
        >
          <option value="cost">Cost</option>
          <option value="tokens">Tokens</option>
        </select>
        {places.length > 0 && (
          <select
            aria-label="Place"
            value={place === undefined ? 'all' : place === null ? 'this' : `on ${place}`}
            className={SELECT}
            onChange={({ target: { value } }) =>
              setPlace(value === 'all' ? undefined : value === 'this' ? null : value.slice('on '.length))
            }
          >
            <option value="all">Everywhere</option>
            <option value="this">This machine</option>
            {places.map(({ placeId }) => (
              <option key={placeId} value={`on ${placeId}`}>
                {placeId}
              </option>
            ))}
          </select>
        )}
        <span className="flex-1" />
        <div className="flex gap-2">
          <Button size="small" variant="quiet" onClick={() => useLayout.getState().openSettings('models', 'limits')}>
            Limits…
          </Button>
          <Button
            size="small"
            variant="quiet"
            icon={<Download aria-hidden />}
            disabled={!report || report.rows.length === 0}
            onClick={() => report && download(report)}
          >
            Export CSV
          </Button>
        </div>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto w-full max-w-[960px] space-y-5 px-6 pt-5 pb-12 max-mid:px-3">
          {error ? (
            <LoadError query={query} />
          ) : report ? (
            <Report report={report} by={by} measure={measure} userHome={userHome} onGroup={setBy} />
          ) : (
            <div role="status" aria-label="Loading the usage" className="space-y-3">
              <Skeleton className="h-16 w-full rounded-lg" />
              <Skeleton className="h-[180px] w-full rounded-lg" />
            </div>
          )}
        </div>
      </div>
    </div>
  )
}

interface ReportProps {
  report: UsageReport
  by: UsageGroup
  measure: Measure
  userHome: string | undefined
  onGroup: (by: UsageGroup) => void
}

function Report({ report, by, measure, userHome, onGroup }: ReportProps) {
  const { total, rows, days, missing } = report
  const gap = missing && (
    <p role="status" className="text-small text-wait-ink">
      Not in these figures, because {missing.length === 1 ? 'it cannot' : 'they cannot'} be reached:{' '}
      {missing.join(', ')}.
    </p>
  )
  if (total.requests === 0) {
    return (
      <>
        {gap}
        <EmptyState title="No requests in this range" className="rounded-lg border border-dashed border-line-strong">
          Model requests appear here with their tokens and cost, at the prices when they were made.
        </EmptyState>
        <PriceNote prices={report.prices} />
      </>
    )
  }
  const figures: [name: string, value: string][] = [
    ['Cost', costText(total)],
    ['Requests', total.requests.toLocaleString()],
    ['Input tokens', formatTokens(total.input)],
    ['From cache', cacheShare(total)],
    ['Output tokens', formatTokens(total.output)],
  ]
  return (
    <>
      {gap}
      <dl aria-label="Total" className="grid grid-cols-5 gap-2.5 max-mid:grid-cols-2">
        {figures.map(([name, value]) => (
          <div key={name} className="rounded-lg border border-line bg-raised px-3.5 py-2.5">
            <dt className="text-small text-ink-3">{name}</dt>
            <dd className="text-lead font-semibold tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      <UsageChart days={days} measure={measure} />
      <div role="group" aria-label="Group by" className="flex flex-wrap gap-1">
        {USAGE_GROUPS.map((group) => (
          <Button
            key={group}
            size="small"
            variant={group === by ? 'default' : 'quiet'}
            aria-pressed={group === by}
            onClick={() => onGroup(group)}
          >
            {GROUP_NAMES[group]}
          </Button>
        ))}
      </div>
      <UsageTable
        by={report.by}
        rows={report.by === 'day' ? rows.filter(({ requests }) => requests > 0).toReversed() : rows}
        userHome={userHome}
      />
      {total.unpriced > 0 && (
        <p className="text-small text-wait-ink">
          The price of {total.unpriced === 1 ? '1 request' : `${total.unpriced} requests`} is unknown.{' '}
          {total.unpriced === 1 ? 'Its' : 'Their'} cost is not in these sums. Add prices to the model in config.toml;
          they apply to later requests.
        </p>
      )}
      <PriceNote prices={report.prices} />
    </>
  )
}

function PriceNote({ prices }: { prices: PriceTable }) {
  return (
    <p className="text-small wrap-anywhere text-ink-3" title={prices.sources.join(', ')}>
      Costs are estimates in US dollars, by the prices at the time of each request.{' '}
      {prices.generated === ''
        ? 'Prices of known models cannot be read. See Settings.'
        : `Prices of known models are from ${tableDate(prices)}.`}
    </p>
  )
}

function UsageTable({ by, rows, userHome }: { by: UsageGroup; rows: UsageRow[]; userHome: string | undefined }) {
  return (
    <div
      className="overflow-x-auto rounded-lg border border-line bg-raised"
      tabIndex={0}
      role="region"
      aria-label={`Usage by ${by}`}
    >
      <table className="w-full border-collapse text-ui tabular-nums">
        <thead className="text-left text-small text-ink-3">
          <tr className="[&>th]:px-3 [&>th]:py-2 [&>th]:font-medium max-mid:[&>th]:px-2">
            <th scope="col">{GROUP_NAMES[by]}</th>
            {/* Next to the name, so that a narrow screen shows it without scrolling. */}
            <th scope="col" className="text-right">
              Cost
            </th>
            <th scope="col" className="text-right">
              Requests
            </th>
            <th scope="col" className="text-right">
              Input
            </th>
            <th scope="col" className="text-right">
              Cache
            </th>
            <th scope="col" className="text-right">
              Output
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={row.key}
              className="border-t border-line max-mid:[&>td]:px-2 [&>td]:px-3 [&>td]:py-1.5 [&>td]:text-right"
            >
              <th
                scope="row"
                className="max-w-[340px] px-3 py-1.5 text-left font-normal max-mid:max-w-[124px] max-mid:px-2"
              >
                <RowName by={by} row={row} userHome={userHome} />
              </th>
              <td className="whitespace-nowrap">{costText(row)}</td>
              <td>{row.requests.toLocaleString()}</td>
              <td>{formatTokens(row.input)}</td>
              <td>{cacheShare(row)}</td>
              <td>{formatTokens(row.output)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function RowName({ by, row, userHome }: { by: UsageGroup; row: UsageRow; userHome: string | undefined }) {
  if (by === 'day') return dayText(row.key)
  if (by === 'session' && row.label !== 'Deleted session')
    return (
      <button
        type="button"
        className="block max-w-full truncate text-left hover:underline"
        onClick={() => useLayout.getState().openSession(row.key)}
      >
        {row.label}
      </button>
    )
  return <span className="block truncate">{by === 'project' ? shortPath(row.label, userHome) : row.label}</span>
}

function download(report: UsageReport): void {
  const url = URL.createObjectURL(new Blob([usageCsv(report)], { type: 'text/csv;charset=utf-8' }))
  const name = `trestle-usage-by-${report.by}-${report.from}-to-${report.to}.csv`
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  URL.revokeObjectURL(url)
}
