import type { Token, Tokens } from 'marked'
import { Info, Lightbulb, MessageSquareWarning, OctagonAlert, TriangleAlert, type LucideIcon } from 'lucide-react'

const ALERTS = {
  note: { Icon: Info, word: 'Note' },
  tip: { Icon: Lightbulb, word: 'Tip' },
  important: { Icon: MessageSquareWarning, word: 'Important' },
  warning: { Icon: TriangleAlert, word: 'Warning' },
  caution: { Icon: OctagonAlert, word: 'Caution' },
} as const satisfies Record<string, { Icon: LucideIcon; word: string }>

type AlertKind = keyof typeof ALERTS

/** A quote that begins with `[!NOTE]`, as on GitHub: which kind of alert it is, and its content without that line. */
export function alertOf(tokens: readonly Token[]): { kind: AlertKind; tokens: readonly Token[] } | undefined {
  const [first, ...rest] = tokens
  if (first?.type !== 'paragraph') return undefined
  const { tokens: inline } = first as Tokens.Paragraph
  const [word, ...others] = inline
  const [mark, name] = (word?.type === 'text' && /^\[!(note|tip|important|warning|caution)\][ \t]*(?:\n|$)/i.exec(word.raw)) || []
  if (word === undefined || mark === undefined || name === undefined) return undefined
  const left = word.raw.slice(mark.length)
  const said: Token[] = [...(left === '' ? [] : [{ ...word, raw: left, text: left } as Tokens.Text]), ...others]
  return {
    kind: name.toLowerCase() as AlertKind,
    tokens: said.length === 0 ? rest : [{ ...first, tokens: said }, ...rest],
  }
}

/** What kind of alert it is. */
export function AlertHead({ kind }: { kind: AlertKind }) {
  const { Icon, word } = ALERTS[kind]
  return (
    <p className="md-alert">
      <Icon aria-hidden />
      {word}
    </p>
  )
}
