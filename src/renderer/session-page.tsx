import { useEffect, useState, type ReactNode } from 'react'
import { isAgentId } from '../shared/model/agent'
import { isPlanFile } from '../shared/model/plan'
import { Conversation } from './conversation'
import { ContextMeter } from './features/chat/header/context-meter'
import { ModeSwitch } from './features/chat/header/mode-switch'
import { ModelSwitch } from './features/chat/header/model-switch'
import { SandboxChip } from './features/chat/header/sandbox-chip'
import { Markdown } from './features/chat/markdown/markdown'
import { RestoreDialog } from './features/checkpoint/restore-dialog'
import { ChangesPane } from './features/inspector/changes-pane'
import { ContextPane } from './features/inspector/context-pane'
import { Inspector } from './features/inspector/inspector'
import { McpPane } from './features/mcp/mcp-pane'
import { ServerNotice } from './features/mcp/server-notice'
import { TodosPane } from './features/inspector/todos-pane'
import { PlanBanner } from './features/plan/plan-banner'
import { PlanPane } from './features/plan/plan-pane'
import { HeaderBar, type HeaderFrame } from './features/shell/header-bar'
import { AgentBar } from './features/subagents/agent-bar'
import { TasksPane } from './features/tasks/tasks-pane'
import { TaskTerminal } from './features/terminal/task-terminal'
import { TrustBanner } from './features/trust/trust-banner'
import { TrustMark } from './features/trust/trust-mark'
import { useTrustView } from './features/trust/use-trust'
import { FilesOf } from './state/file-links'
import { useLayout } from './state/layout-state'
import { titleOf } from './state/ordered-sessions'
import { useSessionActions } from './state/session-actions'
import { jumpToCall, useSessionChanges, useSessionHeader, useSessionState } from './state/session-view'
import { useSessions } from './state/sessions-state'
import { useRunningCount } from './state/tasks-state'
import { useAppInfo, useSettings } from './state/settings-query'
import { changeMode } from './state/session-mode'
import { useClient } from './state/trestle-context'
import { useOpenLink } from './state/use-open-link'
import { Skeleton } from './ui/skeleton'

interface SessionPageProps {
  sessionId: string
  connected: boolean
  frame: HeaderFrame
  /** What is told above the conversation. */
  banners: ReactNode
}

/** One session in the main area: its bar, and the conversation. */
export function SessionPage({ sessionId, connected, frame, banners }: SessionPageProps) {
  const header = useSessionHeader(sessionId)
  const summary = useSessions((state) => state.sessions.get(sessionId))
  const notFound = useSessionState(sessionId, (state) => state.failure?.code === 'session.not_found')
  const actions = useSessionActions()
  const client = useClient()
  const showPlan = (): void => {
    useLayout.getState().setInspectorTab('plan')
    if (frame.inspector?.open === false) frame.inspector.toggle()
  }
  // A session that was remembered or deleted elsewhere is nothing to show an error for.
  useEffect(() => {
    if (notFound) useLayout.getState().forgetSession(sessionId)
  }, [notFound, sessionId])
  const known = header ?? summary
  const trust = useTrustView(known?.folder)
  const [asksAgain, setAsksAgain] = useState(false)
  return (
    <FilesOf value={sessionId}>
      <HeaderBar
        {...frame}
        title={known ? titleOf(known) : 'Session'}
        folder={known?.folder}
        {...(!header?.agent && { onRename: (title: string) => actions.rename(sessionId, title) })}
      >
        {header ? (
          <>
            {trust && !header.agent && <TrustMark view={trust} onOpen={() => setAsksAgain(true)} />}
            <ModelSwitch sessionId={sessionId} onOpenSettings={openModels} />
            {/* A subagent works in the mode of its session. */}
            {!header.agent && <ModeSwitch sessionId={sessionId} />}
            {header.sandbox && <SandboxChip sandbox={header.sandbox} userHome={frame.userHome} onOpenSettings={openSandbox} />}
            <ContextMeter sessionId={sessionId} />
          </>
        ) : (
          <Skeleton className="h-[25px] w-[260px] rounded-[6px]" />
        )}
      </HeaderBar>
      {banners}
      {header?.agent && <AgentBar agentId={sessionId} agent={header.agent} />}
      {trust && !isAgentId(sessionId) && (
        <TrustBanner view={trust} userHome={frame.userHome} reopened={asksAgain} onClose={() => setAsksAgain(false)} />
      )}
      {header?.plan?.active && <PlanBanner onShow={showPlan} onLeave={() => changeMode(client, header, header.mode)} />}
      {header && !header.agent && <ServerNotice folder={header.folder} busy={header.turnId !== undefined} />}
      <Conversation sessionId={sessionId} connected={connected} onOpenSettings={openModels} />
      <RestoreDialog sessionId={sessionId} folder={known?.folder ?? ''} />
    </FilesOf>
  )
}

/** The inspector of one session, with the tabs that have something to show. */
export function SessionInspector({ sessionId, isDrawer }: { sessionId: string; isDrawer: boolean }) {
  const header = useSessionHeader(sessionId)
  const changes = useSessionChanges(sessionId)
  const running = useRunningCount(sessionId)
  const openLink = useOpenLink()
  const { data: settings } = useSettings()
  const { data: info } = useAppInfo()
  const model = settings?.models.find(({ id }) => id === (header?.model ?? settings.defaultModel))
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
    <FilesOf value={sessionId}>
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
            count: new Set(changes.map(({ path }) => path).filter((path) => !isPlanFile(path, info?.home))).size,
            content: header ? <ChangesPane sessionId={sessionId} header={header} changes={changes} onJump={jump} /> : loading,
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
    </FilesOf>
  )
}

function openMcp(): void {
  useLayout.getState().openSettings('mcp')
}

function openSandbox(): void {
  useLayout.getState().openSettings('sandbox')
}

function openModels(): void {
  useLayout.getState().openSettings('models')
}

function closeDrawer(): void {
  useLayout.getState().setDrawer('none')
}
