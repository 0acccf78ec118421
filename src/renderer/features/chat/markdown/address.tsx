import { useContext, useState, type ReactNode } from 'react'
import { linkWarning } from '../../../../shared/model/safe-link'
import { useFoundFile } from '../../../state/file-links'
import { pathOf } from '../../../state/path-text'
import { FileLink } from '../../../ui/content/file-link'
import { ConfirmDialog } from '../../../ui/confirm-dialog'
import { OpenLink } from './open-link'
import { outsideLink } from './outside-link'

interface AddressProps {
  href: string
  /** What the link says. */
  text: string
  children: ReactNode
}

/**
 * A link that opens outside, by the middle button too; plain text, with its address as title, when it leads nowhere one may go. Where its text names another host,
 * the real address is shown first.
 */
export function Address({ href, text, children }: AddressProps) {
  const open = useContext(OpenLink)
  const [isAsking, setAsking] = useState(false)
  const url = outsideLink(href)
  const place = url === undefined ? pathOf(decoded(href)) : undefined
  const file = useFoundFile(place?.path)
  if (place && file) {
    return (
      <FileLink path={place.path} line={place.line} column={place.column}>
        {children}
      </FileLink>
    )
  }
  if (url === undefined) return <span title={`${href} (this address cannot be opened)`}>{children}</span>
  const warning = linkWarning(url, text)
  const go = (): void => (warning === undefined ? open(url) : setAsking(true))
  return (
    <>
      <a
        href={url}
        title={url}
        rel="noreferrer noopener"
        onClick={(event) => {
          event.preventDefault()
          go()
        }}
        onAuxClick={(event) => {
          event.preventDefault()
          if (event.button === 1) go()
        }}
      >
        {children}
        <span className="sr-only"> (opens in browser)</span>
      </a>
      {warning !== undefined && (
        <ConfirmDialog open={isAsking} onOpenChange={setAsking} title="Open this address?" action="Open" onConfirm={() => open(url)}>
          {warning}
          <code className="mt-2 block break-all text-ink">{url}</code>
        </ConfirmDialog>
      )}
    </>
  )
}

/** `my%20file.md` as the name of a file. */
function decoded(href: string): string {
  try {
    return decodeURIComponent(href)
  } catch {
    return href
  }
}
