import type { QueryClient } from '@tanstack/react-query'
import type { HostCommand } from '../../shared/model/push'
import { openFind } from './find-state'
import { SETTINGS_SECTIONS, useLayout } from './layout-state'
import { tellNotice } from './toasts-state'

/** Does what a native menu, a link or a notification asks of the page. It only ever shows something. */
export function obeyHost(command: HostCommand, queryClient: QueryClient): void {
  const layout = useLayout.getState()
  switch (command) {
    case 'new-session':
      return layout.openNew()
    case 'open-settings':
      return layout.openSettings()
    case 'open-inbox':
      return layout.openInbox()
    case 'show-shortcuts':
      return layout.setShortcutsOpen(true)
    case 'find':
      return openFind()
    case 'desktop-changed':
      return void queryClient.invalidateQueries({ queryKey: [['desktop']] })
  }
  if ('tell' in command) return tellNotice(command.tell, command.tone)
  switch (command.open) {
    case 'session':
      return layout.openSession(command.sessionId)
    case 'task':
      return layout.openTasks(command.taskId)
    case 'folder':
      return layout.openNew(command.folder)
    case 'settings':
      return layout.openSettings(SETTINGS_SECTIONS.find((section) => section === command.section))
  }
}
