import { basename, join } from 'node:path'
import type { DownloadItem, Session } from 'electron'
import { APP_ORIGIN } from '../../../shared/contract/port-wire'

export interface DownloadOptions {
  /** Where the save dialog opens. */
  folder(): string
  /** How a download ended that the user did not cancel. */
  onEnd(end: { file: string; saved: boolean }): void
  log(message: string): void
}

/**
 * Lets the page save what it made itself (`blob:` addresses of our own origin) where the user says, in the system's dialog; cancels every other download. Chromium writes
 * the file, so even a large one never passes through the page as a whole.
 */
export function saveDownloads(session: Session, { folder, onEnd, log }: DownloadOptions): void {
  session.on('will-download', (event, item) => {
    if (!item.getURL().startsWith(`blob:${APP_ORIGIN}/`)) {
      log(`a download was refused: ${item.getURL().slice(0, 200)}`)
      event.preventDefault()
      return
    }
    ask(item, folder())
    item.once('done', (_event, state) => {
      if (state === 'cancelled') return
      const file = item.getSavePath()
      if (state !== 'completed') log(`a file could not be saved (${state}): ${file}`)
      onEnd({ file, saved: state === 'completed' })
    })
  })
}

function ask(item: DownloadItem, folder: string): void {
  const name = basename(item.getFilename()) || 'download'
  item.setSaveDialogOptions({
    title: `Save ${name}`,
    defaultPath: join(folder, name),
    properties: ['createDirectory', 'showOverwriteConfirmation'],
  })
}
