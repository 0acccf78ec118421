import { formatCost, type UsageReport, type UsageSum } from '../../../shared/model/turn/usage'
import { formatDate } from '../../../shared/language/speak'

/** Whether no request has a known price. */
export function isUnpriced({ requests, unpriced }: Pick<UsageSum, 'requests' | 'unpriced'>): boolean {
  return requests > 0 && unpriced === requests
}

/** The cost of requests; states if the price of some or all of them is unknown. */
export function costText({ cost, requests, unpriced }: Pick<UsageSum, 'cost' | 'requests' | 'unpriced'>): string {
  if (isUnpriced({ requests, unpriced })) return 'unknown'
  return unpriced > 0 ? `${formatCost(cost)} + unknown` : formatCost(cost)
}

/** The share of the input that was read from a cache. */
export function cacheShare({ input, cached }: Pick<UsageSum, 'input' | 'cached'>): string {
  return input === 0 ? '–' : `${Math.round((cached / input) * 100)}%`
}

/** "Thu, Nov 26". */
export function dayText(day: string): string {
  return formatDate(new Date(`${day}T12:00:00`), { weekday: 'short', month: 'short', day: 'numeric' })
}

const COLUMNS = ['requests', 'input', 'cached', 'written', 'output', 'thinking', 'cost', 'unpriced'] as const

/** The rows of a report as CSV. */
export function usageCsv({ by, rows }: Pick<UsageReport, 'by' | 'rows'>): string {
  const lines = rows.map((row) => [row.key, row.label, ...COLUMNS.map((column) => String(row[column]))])
  return [[by, 'label', ...COLUMNS], ...lines].map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('')
}

function csvCell(text: string): string {
  // A spreadsheet interprets text that starts with these characters as a formula.
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
