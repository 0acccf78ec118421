import type { Token, Tokens } from 'marked'
import { useState, type ReactNode } from 'react'
import { Info, Lightbulb, MessageSquareWarning, OctagonAlert, TriangleAlert, type LucideIcon } from 'lucide-react'
import { CodeBlock } from '../markdown-elements/code-block'
import { Diagram } from '../markdown-elements/diagram'
import type { DetailsToken, FootnoteToken } from './markdown-lexer'
import { Footnote, InlineView } from './inline-view'
import { HtmlView } from '../markdown-elements/html-view'
import { Formula, type MathToken } from '../markdown-elements/math'

const HEADINGS = ['h3', 'h4', 'h5', 'h6', 'h6', 'h6'] as const

/** One block of Markdown. `streaming`: it may still grow. */
export function BlockView({ token, streaming }: { token: Token; streaming: boolean }): ReactNode {
  const block = token as Tokens.Generic
  switch (block.type) {
    case 'paragraph':
      return (
        <p dir="auto">
          <InlineView tokens={block.tokens} />
        </p>
      )
    case 'text':
      return block.tokens ? <InlineView tokens={block.tokens} /> : block.raw
    case 'heading': {
      // The page has its own h1 and h2, so an answer's headings start below them.
      const Heading = HEADINGS[Number(block['depth']) - 1] ?? 'h6'
      return (
        <Heading data-depth={block['depth']} dir="auto">
          <InlineView tokens={block.tokens} />
        </Heading>
      )
    }
    case 'code': {
      const code = {
        code: String(block['text']),
        language: language(block['lang']),
        streaming: streaming && !isClosed(block.raw),
      }
      if (code.language === 'math') return <Formula tex={code.code} display />
      return code.language === 'mermaid' ? <Diagram {...code} /> : <CodeBlock {...code} />
    }
    case 'math': {
      const { open, raw, tex } = token as MathToken
      return open ? <p className="md-raw">{raw}</p> : <Formula tex={tex} display />
    }
    case 'details':
      return <Details token={token as DetailsToken} streaming={streaming} />
    case 'footnote':
      return (
        <Footnote token={token as FootnoteToken}>
          <InlineView tokens={block.tokens} />
        </Footnote>
      )
    case 'html':
      return <HtmlView source={block.raw} />
    case 'blockquote': {
      const alert = alertOf(block.tokens ?? [])
      return (
        <blockquote data-alert={alert?.kind} dir="auto">
          {alert && <AlertHead kind={alert.kind} />}
          <Blocks tokens={alert?.tokens ?? block.tokens} streaming={streaming} />
        </blockquote>
      )
    }
    case 'list':
      return <List token={block as Tokens.List} streaming={streaming} />
    case 'table':
      return <Table token={block as Tokens.Table} streaming={streaming} />
    case 'hr':
      return <hr />
    case 'space':
    case 'def':
      return null
    case 'checkbox':
    case 'escape':
    case 'strong':
    case 'em':
    case 'del':
    case 'codespan':
    case 'link':
    case 'image':
    case 'br':
    case 'footnoteMark':
      return <InlineView tokens={[token]} />
    default:
      return <p className="md-raw">{block.raw.trimEnd()}</p>
  }
}

function Blocks({ tokens, streaming }: { tokens: readonly Token[] | undefined; streaming: boolean }): ReactNode {
  return tokens?.map((token, index) => (
    <BlockView key={index} token={token} streaming={streaming && index === tokens.length - 1} />
  ))
}

function Details({ token, streaming }: { token: DetailsToken; streaming: boolean }) {
  return (
    <details className="md-details" open={token.isOpen}>
      <summary>{token.summary.length > 0 ? <InlineView tokens={token.summary} /> : 'Details'}</summary>
      <Blocks tokens={token.tokens} streaming={streaming} />
    </details>
  )
}

function List({ token, streaming }: { token: Tokens.List; streaming: boolean }) {
  const items = token.items.map((item, index) => (
    <li key={index} data-task={item.task || undefined} dir="auto">
      <Blocks tokens={item.tokens} streaming={streaming && index === token.items.length - 1} />
    </li>
  ))
  if (!token.ordered) return <ul data-loose={token.loose || undefined}>{items}</ul>
  return (
    <ol start={typeof token.start === 'number' ? token.start : 1} data-loose={token.loose || undefined}>
      {items}
    </ol>
  )
}

/** Rows shown initially; a growing long table shows its newest. */
const SHOWN_ROWS = 80
const TAIL_ROWS = 30
/** Maximum length of text kept on one line, so that sizes and versions do not wrap while another column has space. */
const SHORT_CELL = 24

function Table({ token, streaming }: { token: Tokens.Table; streaming: boolean }) {
  const [all, setAll] = useState(false)
  const long = token.rows.length > SHOWN_ROWS + 10
  const from = long && streaming ? token.rows.length - TAIL_ROWS : 0
  const to = long && !streaming && !all ? SHOWN_ROWS : token.rows.length
  return (
    <div className="md-table">
      <div tabIndex={0} role="group" aria-label="Table">
        <table>
          <thead>
            <tr>
              {token.header.map((cell, index) => (
                <th key={index} data-align={cell.align ?? undefined} dir="auto">
                  <InlineView tokens={cell.tokens} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {token.rows.slice(from, to).map((row, index) => (
              <tr key={from + index}>
                {row.map((cell, column) => (
                  <td
                    key={column}
                    data-align={cell.align ?? undefined}
                    data-short={cell.text.length <= SHORT_CELL || undefined}
                    dir="auto"
                  >
                    <InlineView tokens={cell.tokens} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {long && !streaming && (
        <button type="button" className="code-more" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? `Show the first ${SHOWN_ROWS} rows` : `Show all ${token.rows.length.toLocaleString()} rows`}
        </button>
      )}
    </div>
  )
}

function language(info: unknown): string {
  return typeof info === 'string' ? (/^[\w+#.-]+/.exec(info)?.[0] ?? '').toLowerCase() : ''
}

function isClosed(raw: string): boolean {
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(raw)?.[1]
  // Indented code has no end marker.
  return fence === undefined || raw.trimEnd().slice(fence.length).endsWith(`\n${fence}`)
}

const ALERTS = {
  note: { Icon: Info, word: 'Note' },
  tip: { Icon: Lightbulb, word: 'Tip' },
  important: { Icon: MessageSquareWarning, word: 'Important' },
  warning: { Icon: TriangleAlert, word: 'Warning' },
  caution: { Icon: OctagonAlert, word: 'Caution' },
} as const satisfies Record<string, { Icon: LucideIcon; word: string }>

type AlertKind = keyof typeof ALERTS

/** A quote that starts with `[!NOTE]`, as on GitHub: the kind of alert, and its content without that line. */
function alertOf(tokens: readonly Token[]): { kind: AlertKind; tokens: readonly Token[] } | undefined {
  const [first, ...rest] = tokens
  if (first?.type !== 'paragraph') return undefined
  const { tokens: inline } = first as Tokens.Paragraph
  const [word, ...others] = inline
  const [mark, name] =
    (word?.type === 'text' && /^\[!(note|tip|important|warning|caution)\][ \t]*(?:\n|$)/i.exec(word.raw)) || []
  if (word === undefined || mark === undefined || name === undefined) return undefined
  const left = word.raw.slice(mark.length)
  const content: Token[] = [...(left === '' ? [] : [{ ...word, raw: left, text: left } as Tokens.Text]), ...others]
  return {
    kind: name.toLowerCase() as AlertKind,
    tokens: content.length === 0 ? rest : [{ ...first, tokens: content }, ...rest],
  }
}

/** The kind of an alert. */
function AlertHead({ kind }: { kind: AlertKind }) {
  const { Icon, word } = ALERTS[kind]
  return (
    <p className="md-alert">
      <Icon aria-hidden />
      {word}
    </p>
  )
}
