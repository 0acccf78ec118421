import { useContext, useState } from 'react'
import type { Failure } from '../../../../shared/model/errors'
import type { McpResourceContent } from '../../../../shared/model/mcp-content'
import type { ServerLink } from '../../../../shared/model/preview'
import { failureFrom } from '../../../client/failure-from'
import { useClient } from '../../../state/trestle-context'
import { Button } from '../../../ui/button'
import { ErrorNote } from '../../../ui/error-note'
import { Address } from '../markdown/address'
import { PlainText } from './plain-text'
import { Terminals } from './terminals'

type Shown = { kind: 'closed' } | { kind: 'asking' } | { kind: 'open'; content: McpResourceContent } | { kind: 'failed'; failure: Failure }

/** A resource that a result points to. It is fetched only when the user wants to see it; the model does not get it by that. */
export function ResourceLink({ server, link }: { server: string; link: ServerLink }) {
  const { uri, name, mediaType, description } = link
  const client = useClient()
  const { sessionId } = useContext(Terminals)
  const [shown, setShown] = useState<Shown>({ kind: 'closed' })
  const show = (): void => {
    if (shown.kind === 'open') return setShown({ kind: 'closed' })
    setShown({ kind: 'asking' })
    client.mcpContent.read({ sessionId, server, uri }).then(
      (content) => setShown({ kind: 'open', content }),
      (error: unknown) => setShown({ kind: 'failed', failure: failureFrom(error) }),
    )
  }
  return (
    <li>
      <Address href={uri} text={name}>
        {name}
      </Address>
      <span className="web-host">{mediaType ?? ''}</span>
      <p className="break-all">{description ?? uri}</p>
      <Button size="small" variant="quiet" busy={shown.kind === 'asking'} aria-expanded={shown.kind === 'open'} onClick={show}>
        {shown.kind === 'open' ? 'Hide' : 'Show'} <span className="sr-only">{name}</span>
      </Button>
      {shown.kind === 'failed' && <ErrorNote failure={shown.failure} />}
      {shown.kind === 'open' &&
        shown.content.parts.map((part, n) =>
          part.type === 'text' ? (
            <PlainText key={n} text={part.text} label={name} />
          ) : part.type === 'media' ? (
            <figure key={n} className="media-preview">
              <img src={`data:${part.mediaType};base64,${part.data}`} alt={name} />
            </figure>
          ) : (
            <p key={n} className="tool-note">
              It cannot be shown here: {part.text}.
            </p>
          ),
        )}
    </li>
  )
}
