import { useEffect } from 'react'
import { isPlanFile } from '../../../shared/model/turn/plan'
import { Markdown } from '../../features/chat/markdown/markdown-on-demand'
import { ChangesPane, useChangeCount } from '../../features/inspector/changes-pane'
import { ContextPane } from '../../features/inspector/context-pane'
import { Inspector } from '../../features/inspector/inspector'
import { TodosPane, PlanPane } from '../../features/inspector/plan-pane'
import { McpPane } from '../../features/mcp/mcp-pane'
import { TasksPane } from '../../features/tasks/tasks-pane'
import { ReviewPane, TaskTerminal } from './lazy-session-parts'
import { FileSessionContext } from '../../state/file-links'
import { useLayout } from '../../state/page/layout-state'
import { jumpToCall, useSessionChanges, useSessionHeader } from '../../state/session/session-view'
import { useAppInfo, useSettings } from '../../state/page/queries'
import { useRunningCount } from '../../state/tasks/tasks-state'
import { useOpenLink } from '../../state/use-open-link'
import { Skeleton } from '../../ui/loading'

/** Preloaded so that a review opens without a delay. */
const preloadReview = (): void => void ReviewPane.preload()

/** The inspector of one session, with the tabs that have content. */
export function SessionInspector({ sessionId, isDrawer }: { sessionId: string; isDrawer: boolean }) {
  const header = useSessionHeader(sessionId)
  const changes = useSessionChanges(sessionId)
  const running = useRunningCount(sessionId)
  const openLink = useOpenLink()
  const { data: settings } = useSettings()
  const { data: info } = useAppInfo()
  const model = settings?.models.find(({ id }) => id === (header?.model ?? settings.defaultModel))
  const edited = new Set(changes.map(({ path }) => path).filter((path) => !isPlanFile(path, info?.home))).size
  const changeCount = useChangeCount(sessionId, header, changes, edited)
  useEffect(() => {
    if (changes.length > 0) preloadReview()
  }, [changes.length])
  const jump = (callId: string): void => {
    if (isDrawer) closeDrawer()
    jumpToCall(sessionId, callId)
  }
  const loading = (
    <div className="space-y-3 px-4 py-4">
      <Skeleton className="w-2/3" />
      <Skeleton className="w-1/2" />
      <Skeleton className="w-3/5" />
    </div>
  )
  return (
    <FileSessionContext value={sessionId}>
      <Inspector
        {...(isDrawer && { onClose: closeDrawer })}
        panes={[
          {
            tab: 'tasks',
            label: 'Tasks',
            count: running,
            content: (
              <TasksPane
                sessionId={sessionId}
                renderTerminal={(taskId) => <TaskTerminal taskId={taskId} size="card" onOpenLink={openLink} />}
              />
            ),
          },
          {
            tab: 'todos',
            label: 'Todos',
            count: header?.todos.filter((todo) => todo.status !== 'done').length ?? 0,
            content: header ? <TodosPane todos={header.todos} /> : loading,
          },
          {
            tab: 'plan',
            label: 'Plan',
            content: header ? (
              <PlanPane
                sessionId={sessionId}
                plan={header.plan}
                stamp={`${JSON.stringify(header.plan)} ${changes.length}`}
                userHome={info?.userHome}
                renderMarkdown={(text) => <Markdown text={text} streaming={false} />}
              />
            ) : (
              loading
            ),
          },
          {
            tab: 'changes',
            label: 'Changes',
            count: changeCount,
            content: header ? (
              <ChangesPane
                sessionId={sessionId}
                header={header}
                changes={changes}
                onJump={jump}
                onChanges={preloadReview}
              />
            ) : (
              loading
            ),
          },
          {
            tab: 'context',
            label: 'Context',
            content: header ? (
              <ContextPane
                header={header}
                contextWindow={model?.contextWindow}
                modelLabel={model?.label}
                isGuess={model?.knownFrom === 'guess'}
                onJump={jump}
              />
            ) : (
              loading
            ),
          },
          {
            tab: 'mcp',
            label: 'MCP',
            content: header ? <McpPane folder={header.folder} onOpenSettings={openMcp} /> : loading,
          },
        ]}
      />
    </FileSessionContext>
  )
}

function openMcp(): void {
  useLayout.getState().openSettings('mcp')
}

function closeDrawer(): void {
  useLayout.getState().setDrawer('none')
}
