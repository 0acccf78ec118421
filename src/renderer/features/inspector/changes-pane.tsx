import { FileDiff } from 'lucide-react'
import { EmptyState } from '../../ui/empty-state'
import { filesOf, type Change } from './changed-files'

interface ChangesPaneProps {
  changes: readonly Change[]
  /** The project's folder: paths in it are shown from there on. */
  folder: string
  /** Goes to the call in the conversation. */
  onJump: (callId: string) => void
}

/** The files edited in this session, the last edited first; a click goes to the latest edit. */
export function ChangesPane({ changes, folder, onJump }: ChangesPaneProps) {
  const files = filesOf(changes)
  if (files.length === 0) {
    return (
      <EmptyState icon={<FileDiff aria-hidden />} title="No changes yet">
        Files that the agent edits or writes appear here with what was added and removed.
      </EmptyState>
    )
  }
  const added = files.reduce((sum, file) => sum + file.added, 0)
  const removed = files.reduce((sum, file) => sum + file.removed, 0)
  return (
    <div className="py-2">
      <p className="flex gap-2 px-3.5 pb-1.5 text-tiny text-ink-3 tabular-nums">
        <span className="flex-1">
          {files.length} {files.length === 1 ? 'file' : 'files'} in the part of the conversation that is loaded
        </span>
        <Counts added={added} removed={removed} />
      </p>
      <ul className="px-1.5">
        {files.map((file) => {
          const path = fromFolder(file.path, folder)
          const cut = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1
          return (
            <li key={file.path}>
              <button
                type="button"
                title={file.path}
                onClick={() => onJump(file.callId)}
                className="flex min-h-[30px] w-full items-center gap-2 rounded-[6px] px-2 text-left hover:bg-sunken focus-visible:-outline-offset-2"
              >
                <span className="flex min-w-0 flex-1 font-mono text-small">
                  <span className="min-w-0 truncate text-ink-3">{path.slice(0, cut)}</span>
                  <span className="max-w-full flex-none truncate">{path.slice(cut)}</span>
                </span>
                {file.edits > 1 && <span className="flex-none text-tiny text-ink-3">{file.edits} edits</span>}
                <Counts added={file.added} removed={file.removed} />
              </button>
            </li>
          )
        })}
      </ul>
    </div>
  )
}

function Counts({ added, removed }: { added: number; removed: number }) {
  return (
    <span className="flex-none text-small tabular-nums">
      <span className="text-add-ink">+{added}</span>
      <span className="sr-only"> lines added, </span> <span className="text-del-ink">−{removed}</span>
      <span className="sr-only"> lines removed</span>
    </span>
  )
}

function fromFolder(path: string, folder: string): string {
  const next = path.charAt(folder.length)
  return folder !== '' && path.startsWith(folder) && (next === '/' || next === '\\') ? path.slice(folder.length + 1) : path
}
