import { useContext, type ReactNode } from 'react'
import { OpenLink } from './open-link'
import { outsideLink } from './outside-link'

/** A link that opens outside, by the middle button too; plain text, with its address as title, when it leads nowhere one may go. */
export function Address({ href, children }: { href: string; children: ReactNode }) {
  const open = useContext(OpenLink)
  const url = outsideLink(href)
  if (url === undefined) return <span title={href}>{children}</span>
  return (
    <a
      href={url}
      title={url}
      rel="noreferrer noopener"
      onClick={(event) => {
        event.preventDefault()
        open(url)
      }}
      onAuxClick={(event) => {
        event.preventDefault()
        if (event.button === 1) open(url)
      }}
    >
      {children}
      <span className="sr-only"> (opens outside)</span>
    </a>
  )
}
