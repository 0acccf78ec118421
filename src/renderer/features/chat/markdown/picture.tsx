import { ArrowUpRight, ImageOff } from 'lucide-react'
import { useContext } from 'react'
import { OpenLink } from './open-link'
import { inlinePicture, outsideLink } from './outside-link'

/** A picture from elsewhere is not loaded: who serves it would learn that it is looked at. */
export function Picture({ href, name: given }: { href: string; name: string }) {
  const open = useContext(OpenLink)
  const inside = inlinePicture(href)
  const name = given || 'picture'
  if (inside !== undefined) return <img src={inside} alt={name} />
  const url = outsideLink(href)
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
