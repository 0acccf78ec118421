import type { Pane } from '../state/panes/pane'
import { FilePane, FilesPane } from './lazy-file-panes'

export interface PaneContentProps {
  sessionId: string
  pane: Pane
}

/** The content of a pane. Each kind is loaded when it is first shown. */
export function PaneContent({ sessionId, pane }: PaneContentProps) {
  switch (pane.kind) {
    case 'file':
      return <FilePane key={pane.path} sessionId={sessionId} path={pane.path} line={pane.line} />
    case 'files':
      return <FilesPane sessionId={sessionId} />
    default:
      return null
  }
}

/** The name on a pane's tab. */
export function paneTitle(pane: Pane): string {
  switch (pane.kind) {
    case 'file':
      return pane.path.split(/[\\/]/).at(-1) ?? pane.path
    case 'files':
      return 'Files'
    case 'review':
      return 'Review'
    case 'git':
      return 'Git'
    case 'terminal':
      return 'Terminal'
    case 'tasks':
      return 'Tasks'
    case 'preview':
      return `Preview ${new URL(pane.url).host}`
    case 'session':
      return 'Session'
  }
}
