import { createContext, useContext, type ReactNode } from 'react'
import type { FootnoteMarkToken, FootnoteToken } from './block-tokens'

/** The labels of the footnotes that the text at hand has, each between line breaks. */
export const FootnoteLabels = createContext('')

/** `[^1]` in a text; what no footnote belongs to stays as it was written. */
export function FootnoteMark({ token: { label, raw } }: { token: FootnoteMarkToken }) {
  if (!useContext(FootnoteLabels).includes(`\n${label}\n`)) return raw
  return (
    <sup className="md-footnote-mark" data-footnote-mark={label}>
      <button
        type="button"
        aria-label={`Footnote ${label}`}
        onClick={(event) => go(event.currentTarget, `[data-footnote="${CSS.escape(label)}"]`)}
      >
        {label}
      </button>
    </sup>
  )
}

/** A footnote where it stands in the text, with the way back to where it is mentioned. */
export function Footnote({ token: { label }, children }: { token: FootnoteToken; children: ReactNode }) {
  return (
    <div className="md-footnote" data-footnote={label} tabIndex={-1}>
      <button
        type="button"
        aria-label={`Back to where footnote ${label} is mentioned`}
        onClick={(event) => go(event.currentTarget, `[data-footnote-mark="${CSS.escape(label)}"] button`)}
      >
        {label}
      </button>
      <p dir="auto">{children}</p>
    </div>
  )
}

/** Goes to an element of the same answer: shows it and puts the focus there. */
function go(from: HTMLElement, selector: string): void {
  const target = from.closest('.md')?.querySelector<HTMLElement>(selector)
  target?.scrollIntoView({ block: 'nearest' })
  target?.focus({ preventScroll: true })
}
