import { ExternalLink, PanelTop } from 'lucide-react'
import { use } from 'react'
import { ContextMeter } from '../../features/chat/header/context-meter'
import { FindInSession } from '../../features/chat/header/find-in-session'
import { PlanBanner } from '../../features/chat/header/mode-switch'
import { TrustBanner, useTrustView } from '../../features/trust/trust-banner'
import { folderName } from '../../format/folder-name'
import { FileSessionContext } from '../../state/file-links'
import { useLayout } from '../../state/page/layout-state'
import { useAppInfo, useClient } from '../../state/page/queries'
import { ConnectedContext } from '../../state/panes/pane'
import { changeMode, useSessionActions } from '../../state/session/session-actions'
import { titleOf, useSessions } from '../../state/session-list/sessions-state'
import { useSessionHeader } from '../../state/session/session-view'
import { openInNewWindow } from '../../state/new-window'
import { IconButton } from '../../ui/button'
import { Conversation } from '../session/conversation'
import { RestoreDialog } from '../session/lazy-session-parts'

/** Another session beside that of the page: its conversation, with its own composer. */
export function SessionPane({ sessionId }: { ownerId: string; sessionId: string }) {
  const header = useSessionHeader(sessionId)
  const summary = useSessions(({ sessions }) => sessions.get(sessionId))
  const known = header ?? summary
  const trust = useTrustView(known?.folder)
  const client = useClient()
  const actions = useSessionActions()
  const { data: info } = useAppInfo()
  const title = known ? titleOf(known) : 'Session'
  const showPlan = (): void => {
    useLayout.getState().setInspectorTab('plan')
    actions.open(sessionId)
  }
  return (
    <FileSessionContext value={sessionId}>
      <section aria-label={title} className="@container flex min-h-0 flex-1 flex-col">
        <div className="flex min-h-[34px] flex-none flex-wrap items-center gap-x-2 border-b border-line px-3 py-0.5">
          <h2 className="sr-only">{title}</h2>
          <span className="min-w-0 flex-1 truncate text-small text-ink-3" title={known?.folder}>
            {known && folderName(known.folder, info?.userHome).name}
          </span>
          {header && (
            <>
              <ContextMeter sessionId={sessionId} />
            </>
          )}
          <span className="flex flex-none">
            <IconButton
              label="Show this session alone"
              className="size-[25px]!"
              onClick={() => actions.open(sessionId)}
            >
              <PanelTop aria-hidden />
            </IconButton>
            <IconButton
              label="Open in a new window"
              className="size-[25px]!"
              onClick={() => openInNewWindow(client, sessionId)}
            >
              <ExternalLink aria-hidden />
            </IconButton>
          </span>
        </div>
        <FindInSession sessionId={sessionId} />
        {trust && <TrustBanner view={trust} userHome={info?.userHome} reopened={false} onClose={() => undefined} />}
        {header?.plan?.active && (
          <PlanBanner onShow={showPlan} onLeave={() => changeMode(client, header, header.mode)} />
        )}
        <Conversation
          sessionId={sessionId}
          connected={use(ConnectedContext)}
          onOpenSettings={openModels}
          title={title}
        />
        <RestoreDialog sessionId={sessionId} folder={known?.folder ?? ''} />
      </section>
    </FileSessionContext>
  )
}

function openModels(): void {
  useLayout.getState().openSettings('models')
}
