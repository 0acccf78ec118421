import type { Token, Tokens } from 'marked'
import { useState, type ReactNode } from 'react'
import { CodeBlock } from '../code/code-block'
import { InlineView } from './inline-view'

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
      // The page has its own h1 and h2: an answer's headings come below them.
      const Heading = HEADINGS[Number(block['depth']) - 1] ?? 'h6'
      return (
        <Heading data-depth={block['depth']} dir="auto">
          <InlineView tokens={block.tokens} />
        </Heading>
      )
    }
    case 'code':
      return <CodeBlock code={String(block['text'])} language={language(block['lang'])} streaming={streaming && !isClosed(block.raw)} />
    case 'blockquote':
      return (
        <blockquote>
          <Blocks tokens={block.tokens} streaming={streaming} />
        </blockquote>
      )
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
      return <InlineView tokens={[token]} />
    default:
      // HTML stays text.
      return <p className="md-raw">{block.raw.trimEnd()}</p>
  }
}

function Blocks({ tokens, streaming }: { tokens: readonly Token[] | undefined; streaming: boolean }): ReactNode {
  return tokens?.map((token, index) => <BlockView key={index} token={token} streaming={streaming && index === tokens.length - 1} />)
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

/** Rows shown at first, and while a long table grows: its newest. */
const SHOWN_ROWS = 80
const TAIL_ROWS = 30

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
                <th key={index} dir="auto" data-align={cell.align ?? undefined}>
                  <InlineView tokens={cell.tokens} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {token.rows.slice(from, to).map((row, index) => (
              <tr key={from + index}>
                {row.map((cell, column) => (
                  <td key={column} dir="auto" data-align={cell.align ?? undefined}>
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
  // Indented code has no end of its own.
  return fence === undefined || raw.trimEnd().slice(fence.length).endsWith(`\n${fence}`)
}
