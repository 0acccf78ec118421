import { useContext, useState, type ReactNode, createContext } from 'react'
import { ArrowUpRight, ImageOff } from 'lucide-react'
import { linkWarning, safeLink } from '../../../../shared/safe-link'
import { LocalImageContext, useFoundFile } from '../../../state/file-links'
import { parsePath } from '../../../format/paths-in-text'
import { FileLink } from '../../../ui/content/file-link'
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog'

interface AddressProps {
  href: string
  /** The link text. */
  text: string
  children: ReactNode
}

/**
 * A link that opens outside the app, by middle click too; plain text with its URL as tooltip if the URL must not be
 * opened. If its text names another host, the real URL is shown first.
 */
export function WebLink({ href, text, children }: AddressProps) {
  const open = useContext(OpenLinkContext)
  const [isAsking, setAsking] = useState(false)
  const url = externalUrl(href)
  const place = url === undefined ? parsePath(decoded(href)) : undefined
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
        <ConfirmDialog
          open={isAsking}
          onOpenChange={setAsking}
          title="Open this address?"
          action="Open"
          onConfirm={() => open(url)}
        >
          {warning}
          <code className="mt-2 block break-all text-ink">{url}</code>
        </ConfirmDialog>
      )}
    </>
  )
}

/** `my%20file.md` as a file name. */
function decoded(href: string): string {
  try {
    return decodeURIComponent(href)
  } catch {
    return href
  }
}

/** Remote images are not loaded: the server would learn that the answer is being viewed. */
export function RemoteImage({ href, name: given }: { href: string; name: string }) {
  const open = useContext(OpenLinkContext)
  const local = useContext(LocalImageContext)
  const inside = inlineImageUrl(href)
  const name = given || 'picture'
  if (inside !== undefined) return <img src={inside} alt={name} />
  const url = externalUrl(href)
  if (url === undefined) return local?.(decoded(href), name) ?? <span className="md-picture">{name}</span>
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

/** Opens a link outside the app. */
export const OpenLinkContext = createContext<(url: string) => void>(() => undefined)

/** The URL to open outside for a link in an answer, or undefined when it must stay text. */
export const externalUrl = safeLink

/** An image embedded in the text; any other would have to be loaded. */
export function inlineImageUrl(href: string): string | undefined {
  return /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[a-z\d+/=\s]*$/i.test(href) ? href : undefined
}
