import { useContext } from 'react'
import { OpenLink } from '../markdown/open-link'
import { outsideLink } from '../markdown/outside-link'

/** An address that opens outside; plain text when it is none. */
export function Address({ href, children }: { href: string; children: string }) {
  const open = useContext(OpenLink)
  const url = outsideLink(href)
  if (url === undefined) return <span>{children}</span>
  return (
    <a
      href={url}
      title={url}
      rel="noreferrer noopener"
      onClick={(event) => {
        event.preventDefault()
        open(url)
      }}
    >
      {children}
    </a>
  )
}
