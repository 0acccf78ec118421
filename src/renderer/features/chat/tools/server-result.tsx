import type { ResultPart } from '../../../../shared/model/message'
import type { ToolDetails } from '../../../../shared/model/preview'
import { PlainText } from './plain-text'
import { ResourceLink } from './resource-link'

/** What a tool of an MCP server returned: its text, its pictures, and the resources it points to, which are not fetched. */
export function ServerResult({ details, content }: { details: Extract<ToolDetails, { kind: 'server' }>; content: readonly ResultPart[] }) {
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  return (
    <>
      {text.trim() !== '' && <PlainText text={text} label={`Result of ${details.tool}`} />}
      {content.map((part, n) =>
        part.type === 'media' && /^image\/(?:png|jpeg)$/.test(part.mediaType) ? (
          <figure key={n} className="media-preview">
            <img src={`data:${part.mediaType};base64,${part.data}`} alt={`What ${details.tool} shows`} />
          </figure>
        ) : null,
      )}
      {details.links.length > 0 && (
        <ul className="web-hits" aria-label={`Resources that ${details.tool} points to`}>
          {details.links.map((link, n) => (
            <ResourceLink key={n} server={details.server} link={link} />
          ))}
        </ul>
      )}
    </>
  )
}
