import type { Token, Tokens } from 'marked'
import type { ReactNode } from 'react'
import { pathOf } from '../../../state/path-text'
import { FileLink, PathText } from '../../../ui/content/file-link'
import { Address } from './address'
import type { FootnoteMarkToken } from './block-tokens'
import { decodeEntities } from './entities'
import { FootnoteMark } from './footnotes'
import { withElements, type InlineElement } from './html-view'
import { Formula } from './math'
import type { MathToken } from './math-tokens'
import { Picture } from './picture'

/** Inline Markdown: text, emphasis, code, links, formulas, and the few elements of HTML that belong in a text; other HTML is shown as it was written. */
export function InlineView({ tokens }: { tokens: readonly Token[] | undefined }): ReactNode {
  return tokens && withElements(tokens).map((token, index) => <Inline key={index} token={token} />)
}

function Inline({ token }: { token: Tokens.Generic | InlineElement }): ReactNode {
  switch (token.type) {
    case 'text':
      return token.tokens ? <InlineView tokens={token.tokens} /> : <PathText text={decodeEntities(String(token['text']))} />
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
      return <Picture href={String(token['href'])} name={decodeEntities(String(token['text']))} />
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
      // Raw HTML and whatever else there may be: as it was written.
      return /^<br\s*\/?>$/i.test(token.raw) ? <br /> : token.raw
  }
}

/** The box of a task in a list: it says what the model wrote, it is not a control. */
export function Checkbox({ checked }: { checked: boolean }) {
  return <span role="img" aria-label={checked ? 'done: ' : 'to do: '} className="md-check" data-checked={checked || undefined} />
}

/** Code; a path in it opens its file. */
function CodeSpan({ text }: { text: string }) {
  const place = pathOf(text)
  if (!place) return <code>{text}</code>
  return (
    <FileLink path={place.path} line={place.line} column={place.column}>
      <code>{text}</code>
    </FileLink>
  )
}

function Link({ token }: { token: Tokens.Link }) {
  return (
    <Address href={token.href} text={decodeEntities(token.text)}>
      <InlineView tokens={token.tokens} />
    </Address>
  )
}
