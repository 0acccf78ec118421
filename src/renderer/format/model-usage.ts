import type { ModelAbilities } from '../../shared/configuration/settings'
import { formatDate } from '../../shared/language/speak'
import type { PriceTable } from '../../shared/model/turn/usage'

/** A model's capabilities in one line: "1,000,000 tokens · images, PDFs · thinking". */
export function describeAbilities({
  contextWindow,
  toolCalls,
  imagesIn,
  pdfIn,
  videoIn,
  thinking,
}: ModelAbilities): string {
  const media = [imagesIn && 'images', pdfIn && 'PDFs', videoIn && 'video'].filter(Boolean).join(', ')
  return [`${contextWindow.toLocaleString()} tokens`, media, thinking && 'thinking', !toolCalls && 'cannot use tools']
    .filter(Boolean)
    .join(' · ')
}

/** Explains the label "guess". */
export const GUESSED_MODEL_NOTE = 'Unknown model. These are safe defaults; correct them if needed.'

/** 950, 12.4k, 1.2M. */
export function formatTokens(count: number): string {
  if (count < 1000) return String(count)
  if (count < 999_500) return `${trim(count / 1000)}k`
  return `${trim(count / 1_000_000)}M`
}

function trim(value: number): string {
  return value < 100 ? value.toFixed(1).replace(/\.0$/, '') : String(Math.round(value))
}

/** The size of something in a request: `9.4 kB`, `183 kB`. */
export function formatKilobytes(bytes: number): string {
  return `${(bytes / 1000).toLocaleString(undefined, { maximumFractionDigits: bytes < 10_000 ? 1 : 0 })} kB`
}

/** The day on which the table of known models was made, in the user's format. */
export function tableDate({ generated }: PriceTable): string {
  return formatDate(new Date(`${generated}T12:00`), { dateStyle: 'medium' })
}
