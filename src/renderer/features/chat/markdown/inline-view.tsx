import type { Token, Tokens } from 'marked'
import { ArrowUpRight, ImageOff } from 'lucide-react'
import { useContext, type ReactNode } from 'react'
import { Address } from './address'
import { decodeEntities } from './entities'
import { OpenLink } from './open-link'
import { inlinePicture, outsideLink } from './outside-link'

/** Inline Markdown: text, emphasis, code, links. HTML is shown as the text it is. */
export function InlineView({ tokens }: { tokens: readonly Token[] | undefined }): ReactNode {
  return tokens?.map((token, index) => <Inline key={index} token={token} />)
}

function Inline({ token }: { token: Tokens.Generic }): ReactNode {
  switch (token.type) {
    case 'text':
      return token.tokens ? <InlineView tokens={token.tokens} /> : decodeEntities(String(token['text']))
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
      return <code>{String(token['text'])}</code>
    case 'br':
      return <br />
    case 'checkbox':
      return <Checkbox checked={token['checked'] === true} />
    case 'link':
      return <Link token={token as Tokens.Link} />
    case 'image':
      return <Picture token={token as Tokens.Image} />
    default:
      // Raw HTML and whatever else there may be: as it was written.
      return /^<br\s*\/?>$/i.test(token.raw) ? <br /> : token.raw
  }
}

/** The box of a task in a list: it says what the model wrote, it is not a control. */
export function Checkbox({ checked }: { checked: boolean }) {
  return <span role="img" aria-label={checked ? 'done: ' : 'to do: '} className="md-check" data-checked={checked || undefined} />
}

function Link({ token }: { token: Tokens.Link }) {
  return (
    <Address href={token.href} text={decodeEntities(token.text)}>
      <InlineView tokens={token.tokens} />
    </Address>
  )
}

/** A picture from elsewhere is not loaded: who serves it would learn that it is looked at. */
function Picture({ token }: { token: Tokens.Image }) {
  const open = useContext(OpenLink)
  const inside = inlinePicture(token.href)
  const name = decodeEntities(token.text) || 'picture'
  if (inside !== undefined) return <img src={inside} alt={name} />
  const url = outsideLink(token.href)
  if (url === undefined) return <span className="md-picture">{name}</span>
  return (
    <a
      href={url}
      title={url}
      className="md-picture"
      onClick={(event) => {
        event.preventDefault()
        open(url)
      }}
    >
      <ImageOff aria-hidden />
      {name}
      <span className="md-picture-host">{new URL(url).hostname}</span>
      <ArrowUpRight aria-hidden />
      <span className="sr-only"> (image, opens in browser)</span>
    </a>
  )
}
