import type { Pane } from '../state/panes/pane'
import { onDemand } from '../ui/on-demand'
import { Skeleton } from '../ui/loading'

const ReviewPane = onDemand(
  () => import('../features/review/review-pane').then((module) => module.ReviewPane),
  () => <Skeleton className="m-4 h-6 w-1/2" />,
)

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
