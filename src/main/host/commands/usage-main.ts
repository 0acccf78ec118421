import {
  USAGE_GROUPS,
  MAX_USAGE_DAYS,
  type UsageReport,
  type UsageRow,
  type UsageSum,
  formatCost,
} from '../../../shared/model/turn/usage'
import { oneLine, table } from '../../console/output'
import { UsageError, type Parsed } from '../../console/parse-command'
import { reportStart } from '../../console/report'
import { createEngine } from '../../engine/engine'

const DEFAULT_DAYS = 30

/** `trestle usage`: the tokens and costs of requests to models. Returns the exit code 0. */
export async function usageMain({ values }: Parsed, version: string): Promise<number> {
  const by = USAGE_GROUPS.find((group) => group === (values['by'] ?? 'day'))
  if (!by) throw new UsageError(`--by takes ${USAGE_GROUPS.join(', ')}.`, 'usage')
  const days = daysOf(values['days'])
  const engine = await createEngine({ version, watch: false, runsQueue: false })
  try {
    reportStart(engine)
    const report = engine.usage.report(by, days)
    process.stdout.write(values['json'] === true ? `${JSON.stringify(report)}\n` : reportText(report))
    return 0
  } finally {
    await engine.close()
  }
}

function daysOf(text: unknown): number {
  if (text === undefined) return DEFAULT_DAYS
  const days = Number(text)
  if (Number.isInteger(days) && days >= 1 && days <= MAX_USAGE_DAYS) return days
  throw new UsageError(`--days takes a whole number from 1 to ${MAX_USAGE_DAYS}.`, 'usage')
}

const HEADINGS = { day: 'DAY', model: 'MODEL', project: 'PROJECT', session: 'SESSION' } as const

function reportText({ by, from, to, rows, total, prices }: UsageReport): string {
  const shown = by === 'day' ? rows.filter(({ requests }) => requests > 0) : rows
  if (shown.length === 0) return `No model was asked from ${from} to ${to}.\n`
  const name = ({ key, label }: UsageRow): string => (by === 'session' ? `${oneLine(label)} (${key})` : oneLine(label))
  const lines = [...shown.map((row) => [name(row), ...cells(row)]), ['Total', ...cells(total)]]
  const unpriced =
    total.unpriced === 0
      ? ''
      : `The price of ${total.unpriced === 1 ? '1 request' : `${total.unpriced} requests`} is unknown; ` +
        'what they cost is not in these sums.\n'
  return (
    `${table([HEADINGS[by], 'REQUESTS', 'INPUT', 'CACHED', 'OUTPUT', 'COST'], lines)}${unpriced}Costs ` +
    `are those of the time of each request. ` +
    (prices.generated === ''
      ? 'Prices of known models cannot be read: see trestle doctor.\n'
      : `Prices of known models are from ${prices.generated}.\n`)
  )
}

function cells({ requests, input, cached, output, cost, unpriced }: UsageSum): string[] {
  const share = input === 0 ? '' : ` (${Math.round((cached / input) * 100)}%)`
  return [
    String(requests),
    input.toLocaleString('en-US'),
    `${cached.toLocaleString('en-US')}${share}`,
    output.toLocaleString('en-US'),
    unpriced === requests && requests > 0 ? 'unknown' : `${formatCost(cost)}${unpriced > 0 ? ' +?' : ''}`,
  ]
}
