import { Command as Cmdk } from 'cmdk'
import { Dialog } from 'radix-ui'
import { folderName } from '../../format/folder-name'
import { useAppInfo } from '../../state/page/queries'
import { conversationPane } from '../../state/panes/stored-panes'
import { openPane } from '../../state/panes/panes-state'
import { projectsOf, titleOf, useSessions } from '../../state/session-list/sessions-state'
import { StatusDot } from '../../ui/badge'
import { returnFocus } from '../../ui/overlay/return-focus'
import { cx } from '../../ui/cx'

/** Chooses a session to show beside this one. */
export function SessionPicker({ sessionId, onClose }: { sessionId: string; onClose: () => void }) {
  const sessions = useSessions()
  const { data: info } = useAppInfo()
  const others = projectsOf(sessions).flatMap((project) =>
    project.sessions.filter((summary) => summary.sessionId !== sessionId),
  )
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={returnFocus}
          className={cx(
            'fixed top-[min(14vh,120px)] left-1/2 z-40 flex max-h-[min(520px,76vh)]',
            'w-[min(560px,calc(100vw-24px))] -translate-x-1/2 flex-col overflow-hidden',
            'rounded-xl border border-line bg-raised shadow-high outline-none',
          )}
        >
          <Dialog.Title className="sr-only">Show another session beside this one</Dialog.Title>
          <Cmdk label="Sessions" loop className="flex min-h-0 flex-col">
            <Cmdk.Input
              autoFocus
              placeholder="Which session?"
              className="h-[42px] flex-none border-b border-line bg-transparent px-4 text-body outline-none"
            />
            <Cmdk.List className="min-h-0 overflow-y-auto p-1.5">
              <Cmdk.Empty className="px-3 py-6 text-center text-ui text-ink-3">
                {others.length === 0 ? 'No other sessions yet' : 'No matching sessions'}
              </Cmdk.Empty>
              {others.map((summary) => (
                <Cmdk.Item
                  key={summary.sessionId}
                  value={summary.sessionId}
                  keywords={[titleOf(summary), summary.folder]}
                  onSelect={() => {
                    onClose()
                    openPane(sessionId, conversationPane(summary.sessionId))
                  }}
                  className={cx(
                    'flex h-[32px] cursor-default items-center gap-2.5',
                    'rounded-md px-2.5 text-ui data-[selected=true]:bg-sunken',
                  )}
                >
                  <StatusDot status={summary.status} />
                  <span className="min-w-0 flex-1 truncate">{titleOf(summary)}</span>
                  <span className="flex-none text-small text-ink-3">
                    {folderName(summary.folder, info?.userHome).name}
                  </span>
                </Cmdk.Item>
              ))}
            </Cmdk.List>
          </Cmdk>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
