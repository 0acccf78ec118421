import { useMemo, type ReactNode } from 'react'
import type { Token, Tokens } from 'marked'
import { WebLink, RemoteImage } from './web-link'
import { readHtml, type HtmlPart } from './read-html'

/** HTML in an answer: text elements without active attributes. Anything else is shown as source text. */
export function HtmlView({ source }: { source: string }): ReactNode {
  const parts = useMemo(
    () => readHtml(source, (html) => new DOMParser().parseFromString(html, 'text/html').body),
    [source],
  )
  if (!parts) return <p className="md-raw">{source.trimEnd()}</p>
  return <div className="md-html">{drawn(parts)}</div>
}

function drawn(parts: readonly HtmlPart[]): ReactNode {
  return parts.map((part, index) => {
    if (typeof part === 'string') return part
    const { tag: Tag, children } = part
    if (part.image) return <RemoteImage key={index} href={part.image.src} name={part.image.alt} />
    if (part.href !== undefined) {
      return (
        <WebLink key={index} href={part.href} text={textOf(children)}>
          {drawn(children)}
        </WebLink>
      )
    }
    if (children.length === 0) return <Tag key={index} />
    return (
      <Tag key={index} data-align={part.align}>
        {drawn(children)}
      </Tag>
    )
  })
}

function textOf(parts: readonly HtmlPart[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : textOf(part.children))).join('')
}

/** Elements allowed inline in Markdown. */
const INLINE = new Set([
  'kbd',
  'sub',
  'sup',
  'mark',
  'ins',
  'del',
  's',
  'u',
  'small',
  'b',
  'strong',
  'i',
  'em',
  'code',
  'q',
  'abbr',
  'cite',
  'samp',
  'var',
])

export interface InlineElement {
  type: 'element'
  tag: 'kbd'
  raw: string
  tokens: Tokens.Generic[]
}

/** Merges tokens between `<kbd>` and `</kbd>` and other such tags into one; an unpaired tag stays text. */
export function withElements(tokens: readonly Token[]): readonly (Token | InlineElement)[] {
  if (!tokens.some(({ type }) => type === 'html')) return tokens
  const stack: { tag: string; opening: Token | undefined; tokens: (Token | InlineElement)[] }[] = [
    { tag: '', opening: undefined, tokens: [] },
  ]
  const top = () => stack[stack.length - 1]!
  /** The innermost open tag was never closed. */
  const spill = (): void => {
    const { opening, tokens: inner } = stack.pop()!
    top().tokens.push(...(opening ? [opening] : []), ...inner)
  }
  for (const token of tokens) {
    const [, slash, name] = (token.type === 'html' && /^<(\/?)([a-z]+)(?:\s[^<>]*)?>$/i.exec(token.raw)) || []
    const tag = name?.toLowerCase() ?? ''
    if (!INLINE.has(tag)) top().tokens.push(token)
    else if (slash === '') stack.push({ tag, opening: token, tokens: [] })
    else if (stack.some((open) => open.tag === tag)) {
      while (top().tag !== tag) spill()
      const { tokens: inner } = stack.pop()!
      top().tokens.push({ type: 'element', tag: tag as 'kbd', raw: token.raw, tokens: inner as Tokens.Generic[] })
    } else top().tokens.push(token)
  }
  while (stack.length > 1) spill()
  return top().tokens
}
