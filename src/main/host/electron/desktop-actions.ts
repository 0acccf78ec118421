import { dirname } from 'node:path'
import type { BrowserWindow } from 'electron'
import type { DesktopActions, HostActions, UpdateActions } from '../../api/api-deps'
import { createUserEditor } from '../../user-editor'
import type { CommandQueue } from './command-queue'
import type { ElectronModule } from './electron-module'
import { hostDiagnostics } from './host-diagnostics'
import { openExternal } from './guard'

export interface PageActionsOptions {
  electron: ElectronModule
  /** The window of the page; dialogs hang on it. */
  window: BrowserWindow
  commands: CommandQueue
  desktop: DesktopActions
  notices(): readonly string[]
  updates: UpdateActions
  /** The project of the latest session: the folder dialog opens beside it. */
  latestProject(): string | undefined
}

/** What the desktop app does for the page of one window. */
export function pageActions({ electron, window, commands, desktop, notices, updates, latestProject }: PageActionsOptions): HostActions {
  return {
    kind: 'electron',
    chooseFolder: () => chooseFolder(electron, window, latestProject()),
    openExternal: (url) => openExternal(electron.shell, url),
    files: createUserEditor(process),
    diagnostics: () => hostDiagnostics(electron),
    notices,
    updates,
    onCommand: (listener) => commands.listen(listener),
    desktop,
  }
}

/** The system's folder dialog, beside the project used last: without a place it would open the downloads. Null when it was cancelled. */
export async function chooseFolder(
  { dialog }: Pick<ElectronModule, 'dialog'>,
  window: BrowserWindow | undefined,
  latestProject: string | undefined,
): Promise<string | null> {
  const options = {
    title: 'Open a project folder',
    properties: ['openDirectory' as const, 'createDirectory' as const],
    ...(latestProject !== undefined && { defaultPath: dirname(latestProject) }),
  }
  const { canceled, filePaths } = await (window ? dialog.showOpenDialog(window, options) : dialog.showOpenDialog(options))
  return canceled ? null : (filePaths[0] ?? null)
}
