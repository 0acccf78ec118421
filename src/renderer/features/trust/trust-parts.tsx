import type { TrustPart, TrustView } from '../../../shared/model/trust'
import { shortPath } from '../../state/folder-name'
import { DiffView } from '../../ui/content/diff-view'

const KINDS: Record<TrustPart['kind'], string> = {
  rules: 'Rules and restrictions',
  mcp: 'MCP servers',
  hooks: 'Hooks',
  agents: 'Agent specs',
}

/** What the files of a project would do, a line each; and what is new since they were accepted. */
export function TrustParts({ view, userHome }: { view: TrustView; userHome: string | undefined }) {
  return (
    <ul className="trust-parts" tabIndex={0} aria-label="What these settings do">
      {view.parts.map((part) => (
        <li key={`${part.kind} ${part.file}`}>
          <p className="trust-file">
            <span>{KINDS[part.kind]}</span> <code>{withinFolder(part.file, view.folder, userHome)}</code>
          </p>
          {part.diff !== undefined && part.diff !== '' && (
            <div className="trust-diff">
              <p className="trust-note">Changed since you trusted it:</p>
              <DiffView diff={part.diff} limit={30} />
            </div>
          )}
          {part.diff !== undefined && part.diff !== '' && <p className="trust-note px-0">Everything they do:</p>}
          <ul className="trust-lines">
            {part.lines.map((line, index) => (
              <li key={index}>{line}</li>
            ))}
            {part.lines.length === 0 && <li>Nothing.</li>}
          </ul>
        </li>
      ))}
    </ul>
  )
}

function withinFolder(file: string, folder: string, userHome: string | undefined): string {
  const next = file.charAt(folder.length)
  return file.startsWith(folder) && (next === '/' || next === '\\') ? file.slice(folder.length + 1) : shortPath(file, userHome)
}
