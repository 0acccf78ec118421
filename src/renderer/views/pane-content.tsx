import type { Pane } from '../state/panes/pane'
import { ReviewPane } from './lazy-review-pane'

export interface PaneContentProps {
  sessionId: string
  pane: Pane
}

/** The content of a pane. Each kind is loaded when it is first shown. */
export function PaneContent({ sessionId, pane }: PaneContentProps) {
  switch (pane.kind) {
    case 'review':
      return <ReviewPane sessionId={sessionId} scope={pane.scope} />
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
    default:
      return 'Session'
  }
}
