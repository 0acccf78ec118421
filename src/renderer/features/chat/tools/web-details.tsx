import type { ToolDetails } from '../../../../shared/model/preview'
import { Address } from '../markdown/address'
import { PlainText } from './plain-text'

type Of<Kind extends ToolDetails['kind']> = Extract<ToolDetails, { kind: Kind }>

/** What was read of a page. */
export function PageView({ details }: { details: Of<'page'> }) {
  return (
    <>
      <p className="tool-note web-address">
        <Address href={details.url} text={details.title ?? ''}>
          {details.title ?? details.url}
        </Address>
        {details.extracted ? ' · article text' : ' · full page'}
      </p>
      <PlainText text={details.text} label={`Text of ${details.title ?? details.url}`} />
    </>
  )
}

/** What a search found. */
export function HitList({ details }: { details: Of<'hits'> }) {
  if (details.hits.length === 0) return <p className="tool-note">Nothing was found for {details.query}.</p>
  return (
    <ol className="web-hits" aria-label={`Hits for ${details.query}`}>
      {details.hits.map((hit, n) => (
        <li key={n}>
          <Address href={hit.url} text={hit.title}>
            {hit.title}
          </Address>
          <span className="web-host">{URL.canParse(hit.url) ? new URL(hit.url).host : ''}</span>
          {hit.snippet !== '' && <p>{hit.snippet}</p>}
        </li>
      ))}
    </ol>
  )
}
