import type { Token, Tokens } from 'marked'
import { type ReactNode, createContext, useContext } from 'react'
import { parsePath } from '../../../format/paths-in-text'
import { FileLink, PathText } from '../../../ui/content/file-link'
import { WebLink, RemoteImage } from '../markdown-elements/web-link'
import type { FootnoteMarkToken, FootnoteToken } from './markdown-lexer'
import { decodeEntities } from '../markdown-elements/read-html'
import { withElements, type InlineElement } from '../markdown-elements/html-view'
import { Formula, type MathToken } from '../markdown-elements/math'

/**
 * Inline Markdown: text, emphasis, code, links, formulas, and the few HTML elements allowed in text; other HTML is
 * shown as source.
 */
export function InlineView({ tokens }: { tokens: readonly Token[] | undefined }): ReactNode {
  return tokens && withElements(tokens).map((token, index) => <Inline key={index} token={token} />)
}

function Inline({ token }: { token: Tokens.Generic | InlineElement }): ReactNode {
  switch (token.type) {
    case 'text':
      return token.tokens ? (
        <InlineView tokens={token.tokens} />
      ) : (
        <PathText text={decodeEntities(String(token['text']))} />
      )
    case 'escape':
      return String(token['text'])
    case 'strong':
      return (
        <strong>
          <InlineView tokens={token.tokens} />
        </strong>
      )
    case 'em':
      return (
        <em>
          <InlineView tokens={token.tokens} />
        </em>
      )
    case 'del':
      return (
        <del>
          <InlineView tokens={token.tokens} />
        </del>
      )
    case 'codespan':
      return <CodeSpan text={String(token['text'])} />
    case 'br':
      return <br />
    case 'checkbox':
      return <Checkbox checked={token['checked'] === true} />
    case 'link':
      return <Link token={token as Tokens.Link} />
    case 'image':
      return <RemoteImage href={String(token['href'])} name={decodeEntities(String(token['text']))} />
    case 'math': {
      const { open, raw, tex, display } = token as MathToken
      return open ? raw : <Formula tex={tex} display={display} />
    }
    case 'footnoteMark':
      return <FootnoteMark token={token as FootnoteMarkToken} />
    case 'element': {
      const { tag: Tag, tokens } = token as InlineElement
      return (
        <Tag>
          <InlineView tokens={tokens} />
        </Tag>
      )
    }
    default:
      // Raw HTML and unknown tokens: as source text.
      return /^<br\s*\/?>$/i.test(token.raw) ? <br /> : token.raw
  }
}

/** The checkbox of a task list: it shows the model's text and is not a control. */
export function Checkbox({ checked }: { checked: boolean }) {
  return (
    <span
      role="img"
      aria-label={checked ? 'done: ' : 'to do: '}
      className="md-check"
      data-checked={checked || undefined}
    />
  )
}

/** Inline code; a path in it opens its file. */
function CodeSpan({ text }: { text: string }) {
  const place = parsePath(text)
  if (!place) return <code>{text}</code>
  return (
    <FileLink path={place.path} line={place.line} column={place.column}>
      <code>{text}</code>
    </FileLink>
  )
}

function Link({ token }: { token: Tokens.Link }) {
  return (
    <WebLink href={token.href} text={decodeEntities(token.text)}>
      <InlineView tokens={token.tokens} />
    </WebLink>
  )
}

/** The footnote labels of the current text, each between line breaks. */
export const FootnoteLabels = createContext('')

/** `[^1]` in a text; a label without a footnote is shown as source text. */
function FootnoteMark({ token: { label, raw } }: { token: FootnoteMarkToken }) {
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

/** A footnote mark in the text, with links to the footnote and back. */
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

/** Scrolls to an element of the same answer and focuses it. */
function go(from: HTMLElement, selector: string): void {
  const target = from.closest('.md')?.querySelector<HTMLElement>(selector)
  target?.scrollIntoView({ block: 'nearest' })
  target?.focus({ preventScroll: true })
}
