import { visiblePath } from '../../../shared/visible-text'
import type { Pane } from '../../state/panes/pane'
import { onDemand } from '../../ui/on-demand'
import { ViewSkeleton } from '../../ui/loading'
import { ReviewPane } from '../session/lazy-session-parts'

const SessionPane = onDemand(
  () => import('./session-pane').then((module) => module.SessionPane),
  () => <ViewSkeleton label="Loading the conversation" />,
)

const TerminalPane = onDemand(
  () => import('./terminal-pane').then((module) => module.TerminalPane),
  () => <ViewSkeleton label="Opening the terminal" />,
)

const PreviewPane = onDemand(
  () => import('./preview-pane').then((module) => module.PreviewPane),
  () => <ViewSkeleton label="Opening the preview" />,
)

const TasksPane = onDemand(
  () => import('./tasks-pane').then((module) => module.TasksPane),
  () => <ViewSkeleton label="Loading the tasks" />,
)

const GitPane = onDemand(
  () => import('./git-pane').then((module) => module.GitPane),
  () => <ViewSkeleton label="Loading the changes" />,
)

const FilePane = onDemand(
  () => import('./project-file').then((module) => module.ProjectFile),
  () => <ViewSkeleton label="Opening the file" />,
)

const FilesPane = onDemand(
  () => import('../../features/file-tree/files-pane').then((module) => module.FilesPane),
  () => <ViewSkeleton label="Loading the files" />,
)

export interface PaneContentProps {
  sessionId: string
  pane: Pane
}

/** The content of a pane. Each kind is loaded when it is first shown. */
export function PaneContent({ sessionId, pane }: PaneContentProps) {
  switch (pane.kind) {
    case 'session':
      return <SessionPane ownerId={sessionId} sessionId={pane.sessionId} />
    case 'terminal':
      return <TerminalPane sessionId={sessionId} terminalId={pane.terminalId} />
    case 'preview':
      return <PreviewPane sessionId={sessionId} url={pane.url} />
    case 'tasks':
      return <TasksPane sessionId={sessionId} taskId={pane.taskId} />
    case 'git':
      return <GitPane sessionId={sessionId} />
    case 'file':
      return <FilePane key={pane.path} sessionId={sessionId} path={pane.path} line={pane.line} />
    case 'files':
      return <FilesPane sessionId={sessionId} />
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
      return visiblePath(pane.path.split(pane.path.startsWith('/') ? '/' : /[\\/]/).at(-1) ?? pane.path)
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
