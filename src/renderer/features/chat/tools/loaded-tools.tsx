import type { ToolDetails } from '../../../../shared/model/preview'

/** What a search for tools has found and loaded. */
export function LoadedTools({ details }: { details: Extract<ToolDetails, { kind: 'tools' }> }) {
  if (details.tools.length === 0) return <p className="tool-note">No tool matches {details.query}.</p>
  return (
    <ul className="overflow-hidden rounded-lg border border-line bg-raised" aria-label={`Tools loaded for ${details.query}`}>
      {details.tools.map(({ id, description }) => (
        <li key={id} className="border-t border-line px-3 py-1.5 first:border-t-0">
          <p className="font-mono text-small wrap-anywhere">{id}</p>
          {description !== '' && <p className="text-small text-ink-2">{description}</p>}
        </li>
      ))}
    </ul>
  )
}
