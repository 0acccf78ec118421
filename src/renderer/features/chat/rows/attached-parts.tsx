import type { UserPart } from '../../../../shared/model/message'

/** What MCP servers gave for a message, each to be opened. */
export function AttachedParts({ parts }: { parts: readonly UserPart[] }) {
  const groups = new Map<string, { label: string; parts: UserPart[] }>()
  for (const part of parts) {
    if (!part.attached) continue
    const { kind, server, name } = part.attached
    const label = kind === 'prompt' ? `the prompt ${name} of ${server}` : `${name} of ${server}`
    const group = groups.get(label) ?? { label, parts: [] }
    group.parts.push(part)
    groups.set(label, group)
  }
  return [...groups.values()].map(({ label, parts: given }) => (
    <details key={label} className="you-skill">
      <summary>with {label}</summary>
      {given.map((part, n) =>
        part.type === 'text' ? (
          <pre key={n}>{part.text.trim()}</pre>
        ) : part.text !== undefined ? (
          <pre key={n}>{part.text}</pre>
        ) : (
          <img key={n} src={`data:${part.mediaType};base64,${part.data}`} alt={part.name ?? `Picture ${n + 1}`} />
        ),
      )}
    </details>
  ))
}
