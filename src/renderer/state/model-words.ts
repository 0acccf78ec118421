import type { ModelAbilities } from '../../shared/model/settings'

/** What a model can take and do, in a line: "1,000,000 tokens · images, PDFs · thinking". */
export function abilityWords({ contextWindow, toolCalls, imagesIn, pdfIn, videoIn, thinking }: ModelAbilities): string {
  const media = [imagesIn && 'images', pdfIn && 'PDFs', videoIn && 'video'].filter(Boolean).join(', ')
  return [`${contextWindow.toLocaleString()} tokens`, media, thinking && 'thinking', !toolCalls && 'cannot use tools']
    .filter(Boolean)
    .join(' · ')
}

/** What a guess is, where a word alone would not say it. */
export const GUESS_MEANING = 'Unknown model. These are safe defaults; correct them if needed.'

/** Dollars: to the cent from ten cents on, more exact below. */
export function costWords(dollars: number): string {
  if (dollars > 0 && dollars < 0.0001) return '< $0.0001'
  return `$${dollars.toFixed(dollars >= 0.1 || dollars === 0 ? 2 : 4)}`
}
