import { useEffect, useState, type ReactNode } from 'react'
import { isAgentId } from '../shared/model/agent'
import { Conversation } from './conversation'
import { ContextMeter } from './features/chat/header/context-meter'
import { FindInSession } from './features/chat/header/find-in-session'
import { ModeSwitch } from './features/chat/header/mode-switch'
import { ModelSwitch } from './features/chat/header/model-switch'
import { SandboxChip } from './features/chat/header/sandbox-chip'
import { ServerNotice } from './features/mcp/server-notice'
import { PlanBanner } from './features/plan/plan-banner'
import { HeaderBar, type HeaderFrame } from './features/shell/header-bar'
import { AgentBar } from './features/subagents/agent-bar'
import { TrustBanner } from './features/trust/trust-banner'
import { TrustMark } from './features/trust/trust-mark'
import { useTrustView } from './features/trust/use-trust'
import { RestoreDialog } from './session-parts'
import { FilesOf } from './state/file-links'
import { useLayout } from './state/layout-state'
import { titleOf } from './state/ordered-sessions'
import { useSessionActions } from './state/session-actions'
import { useSessionHeader, useSessionState } from './state/session-view'
import { useSessions } from './state/sessions-state'
import { changeMode } from './state/session-mode'
import { useClient } from './state/trestle-context'
import { Skeleton } from './ui/skeleton'

export interface SessionPageProps {
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
      <FindInSession sessionId={sessionId} />
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

function openSandbox(): void {
  useLayout.getState().openSettings('sandbox')
}

function openModels(): void {
  useLayout.getState().openSettings('models')
}
