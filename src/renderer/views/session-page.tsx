import { useEffect, useState, type ReactNode } from 'react'
import { ArchiveRestore, CalendarClock } from 'lucide-react'
import { isAgentId } from '../../shared/model/session/agent'
import { splitPlaceFolder } from '../../shared/model/place/place-folder'
import type { ImportedFrom } from '../../shared/model/session/session'
import type { SessionSchedule } from '../../shared/model/assistant/schedule'
import { Conversation } from './session/conversation'
import { PaneArea } from './panes/pane-area'
import { WatchMark } from './panes/terminal-marks'
import { PanesMenu } from './panes/panes-menu'
import { ContextMeter } from '../features/chat/header/context-meter'
import { FindInSession } from '../features/chat/header/find-in-session'
import { PlanBanner } from '../features/chat/header/mode-switch'
import { SandboxChip } from '../features/chat/header/sandbox-chip'
import { GitChip } from '../features/git/git-chip'
import { WorktreeChip } from '../features/worktree/worktree-chip'
import { ServerNotice } from '../features/mcp/server-notice'
import { PlaceBanner } from '../features/places/place-banner'
import { FolderGone } from '../features/sessions/folder-gone'
import { HeaderBar, type HeaderFrame } from '../features/shell/header-bar'
import { AgentBar } from '../features/session/subagents'
import { SessionCost } from '../features/usage/session-cost'
import { TrustBanner, TrustMark, useTrustView } from '../features/trust/trust-banner'
import { ResendDialog, RestoreDialog, SealedBanner } from './session/lazy-session-parts'
import { FileSessionContext } from '../state/file-links'
import { useLayout } from '../state/page/layout-state'
import { showToast } from '../state/page/toasts-state'
import { titleOf, useSessions } from '../state/session-list/sessions-state'
import { useSessionActions, changeMode } from '../state/session/session-actions'
import { useSessionHeader, useSessionState } from '../state/session/session-view'
import { useClient } from '../state/page/queries'
import { Button } from '../ui/button'
import { Chip } from '../ui/chip'
import { PlaceBadge } from '../ui/place-badge'
import { Skeleton } from '../ui/loading'
import { Tooltip } from '../ui/tooltip'

export interface SessionPageProps {
  sessionId: string
  connected: boolean
  frame: HeaderFrame
  /** Notices above the conversation. */
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
  const wasShown = header !== undefined
  // A remembered session that was deleted elsewhere is not an error. A dead link says why another page opens.
  useEffect(() => {
    if (!notFound) return
    useLayout.getState().forgetSession(sessionId)
    if (!wasShown) showToast('This session no longer exists here')
  }, [notFound, sessionId, wasShown])
  const known = header ?? summary
  const place = known && splitPlaceFolder(known.folder)
  const trust = useTrustView(known?.folder)
  const [asksAgain, setAsksAgain] = useState(false)
  return (
    <FileSessionContext value={sessionId}>
      <HeaderBar
        {...frame}
        title={known ? titleOf(known) : 'Session'}
        folder={summary?.worktree?.project ?? known?.folder}
        {...(!header?.agent && { onRename: (title: string) => actions.rename(sessionId, title) })}
      >
        {header ? (
          <>
            {summary?.worktree && <WorktreeChip sessionId={sessionId} worktree={summary.worktree} />}
            {place && <PlaceBadge placeId={place.placeId} />}
            {header.archived && <ArchivedMark onRestore={() => actions.archive(sessionId, false)} />}
            {header.schedule && <ScheduleMark schedule={header.schedule} />}
            {header.imported && <ImportedMark from={header.imported} />}
            {trust && !header.agent && <TrustMark view={trust} onOpen={() => setAsksAgain(true)} />}
            {!header.agent && <GitChip sessionId={sessionId} />}
            {header.sandbox && (
              <SandboxChip sandbox={header.sandbox} userHome={frame.userHome} onOpenSettings={openSandbox} />
            )}
            <ContextMeter sessionId={sessionId} />
            <SessionCost sessionId={sessionId} />
            <WatchMark sessionId={sessionId} />
            <PanesMenu sessionId={sessionId} />
          </>
        ) : (
          <Skeleton className="h-[25px] w-[260px] rounded-[6px]" />
        )}
      </HeaderBar>
      {banners}
      <PlaceBanner folder={known?.folder} />
      {header && !header.agent && <FolderGone sessionId={sessionId} folder={header.folder} />}
      {header?.sealed && <SealedBanner sessionId={sessionId} sealed={header.sealed} />}
      <FindInSession sessionId={sessionId} />
      {header?.agent && <AgentBar agentId={sessionId} agent={header.agent} />}
      {trust && !isAgentId(sessionId) && (
        <TrustBanner view={trust} userHome={frame.userHome} reopened={asksAgain} onClose={() => setAsksAgain(false)} />
      )}
      {header?.plan?.active && <PlanBanner onShow={showPlan} onLeave={() => changeMode(client, header, header.mode)} />}
      {header && !header.agent && <ServerNotice folder={header.folder} busy={header.turnId !== undefined} />}
      <PaneArea
        sessionId={sessionId}
        connected={connected}
        conversation={<Conversation sessionId={sessionId} connected={connected} onOpenSettings={openModels} />}
      />
      <ResendDialog sessionId={sessionId} folder={known?.folder ?? ''} />
      <RestoreDialog sessionId={sessionId} folder={known?.folder ?? ''} />
    </FileSessionContext>
  )
}

/** Marks a run of a schedule, and links to the schedule. */
function ScheduleMark({ schedule: { scheduleId, name } }: { schedule: SessionSchedule }) {
  return (
    <Tooltip text="Run by this schedule">
      <Button
        size="small"
        variant="quiet"
        icon={<CalendarClock aria-hidden />}
        aria-label={`Scheduled by ${name}`}
        onClick={() => useLayout.getState().openSchedules(scheduleId)}
      >
        Scheduled
      </Button>
    </Tooltip>
  )
}

/** Says that the session is archived, also in a window that did not archive it. */
function ArchivedMark({ onRestore }: { onRestore: () => void }) {
  return (
    <Tooltip text="Not in the list of sessions. Restore it, or send a message.">
      <Button
        size="small"
        variant="quiet"
        icon={<ArchiveRestore aria-hidden />}
        aria-label="Archived, restore"
        onClick={onRestore}
      >
        Archived
      </Button>
    </Tooltip>
  )
}

/** The result of checking the hashes of an imported file. */
const PROOF: Record<string, string> = {
  true: 'Its history was as recorded.',
  false: 'Its history was changed after it was recorded.',
  undefined: 'The file had no hashes to verify it.',
}

/** Marks a session that was imported from a file. */
function ImportedMark({ from }: { from: ImportedFrom }) {
  return (
    <Tooltip
      text={
        `Imported from a file. It was ${from.sessionId}${from.folder === '' ? '' : ` in ${from.folder}`}. ` +
        PROOF[String(from.verified)]
      }
    >
      <Chip tabIndex={0}>{from.verified === false ? 'Imported, not verified' : 'Imported'}</Chip>
    </Tooltip>
  )
}

function openSandbox(): void {
  useLayout.getState().openSettings('sandbox')
}

function openModels(): void {
  useLayout.getState().openSettings('models')
}
