import type { Preview } from '../../../shared/model/preview'
import { shortPath } from '../../state/folder-name'
import { useAppInfo } from '../../state/settings-query'
import { ArgumentList } from '../../ui/content/argument-list'
import { DiffView } from '../../ui/content/diff-view'

/** What would be done: the diff, the command, or a text. */
export function PreviewView({ preview }: { preview: Preview }) {
  const { data: info } = useAppInfo()
  switch (preview.kind) {
    case 'diff':
      return (
        <>
          <DiffView diff={preview.diff} limit={40} />
          {preview.note && <p className="approval-note">{preview.note}</p>}
        </>
      )
    case 'command':
      return (
        <div className="approval-command">
          {preview.description && <p>{preview.description}</p>}
          <pre tabIndex={0} aria-label="Command">
            {preview.command}
          </pre>
          <p>
            in <span className="font-mono">{shortPath(preview.cwd, info?.userHome)}</span>
            {preview.background && `, in the background, ${limitOf(preview.background.timeoutMs)}`}
          </p>
        </div>
      )
    case 'call':
      return <ArgumentList arguments={preview.arguments} left={preview.left} />
    case 'plan':
    case 'questions':
    case 'form':
    case 'link':
    case 'sampling':
      // They have cards of their own.
      return null
    default:
      return (
        <pre tabIndex={0} aria-label="Preview" className="approval-text">
          {preview.text}
        </pre>
      )
  }
}

function limitOf(timeoutMs: number | null): string {
  if (timeoutMs === null) return 'without a time limit'
  const seconds = Math.round(timeoutMs / 1000)
  return seconds % 60 === 0 ? `for at most ${seconds / 60} min` : `for at most ${seconds} s`
}
