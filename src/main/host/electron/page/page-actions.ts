import { dirname } from 'node:path'
import type { BrowserWindow } from 'electron'
import { errorText } from '../../../../shared/error-text'
import type { DesktopActions, HostActions, RoleActions, UpdateActions } from '../../../api/implementer'
import { createUserEditor } from '../../../api/user-editor'
import type { CommandQueue } from '../window/app-window'
import type { ElectronModule } from '../platform/electron-module'
import { createPreviewViews } from '../preview/preview-view'
import { openExternal } from './page-guard'
import type { DiagnosticsReport } from '../../../../shared/configuration/app'

export interface PageActionsOptions {
  electron: ElectronModule
  /** The window of the page; the parent of dialogs. */
  window: BrowserWindow
  commands: CommandQueue
  desktop: DesktopActions
  notices(): readonly string[]
  updates: UpdateActions
  /** Absent when another process has the role of the home's engine. */
  role: RoleActions | undefined
  /** The project of the latest session: the folder dialog opens beside it. */
  latestProject(): string | undefined
}

/** What the desktop app does for the page of one window. */
export function createPageActions({
  electron,
  window,
  commands,
  desktop,
  notices,
  updates,
  role,
  latestProject,
}: PageActionsOptions): HostActions {
  return {
    kind: 'electron',
    chooseFolder: () => chooseFolder(electron, window, latestProject()),
    openExternal: (url) => openExternal(electron.shell, url),
    files: createUserEditor(process),
    previewViews: createPreviewViews(electron, window),
    diagnostics: () => hostDiagnostics(electron),
    notices,
    updates,
    ...(role && { role }),
    onCommand: (listener) => commands.subscribe(listener),
    desktop,
  }
}

/**
 * The system's folder dialog, opened beside the last used project; by default it would open Downloads. Null when
 * cancelled.
 */
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
  const { canceled, filePaths } = await (window
    ? dialog.showOpenDialog(window, options)
    : dialog.showOpenDialog(options))
  return canceled ? null : (filePaths[0] ?? null)
}

type Section = DiagnosticsReport['sections'][number]

/** Diagnostics of the desktop app; unavailable values are omitted. */
async function hostDiagnostics({ app, safeStorage }: ElectronModule): Promise<Section[]> {
  const facts: Section['facts'] = [
    { name: 'Packaged', value: app.isPackaged ? 'yes' : 'no' },
    // app.enableSandbox() was called before any page was created.
    { name: 'Renderer sandbox', value: process.argv.includes('--no-sandbox') ? 'off (--no-sandbox)' : 'on' },
    { name: 'Key store', value: attempt(() => keyStore(safeStorage)) },
    { name: 'GPU', value: attempt(() => gpuText(app.getGPUFeatureStatus())) },
  ]
  return [{ title: 'Desktop app', facts }]
}

function keyStore(safeStorage: ElectronModule['safeStorage']): string {
  if (!safeStorage.isEncryptionAvailable()) return 'none; keys are in a file that only you can read'
  return process.platform === 'linux' ? safeStorage.getSelectedStorageBackend() : 'system'
}

/** Features without GPU acceleration. */
function gpuText(status: object): string {
  const slow = Object.entries(status).filter(([, state]) => !String(state).startsWith('enabled'))
  return slow.length === 0
    ? 'all features enabled'
    : slow.map(([name, state]) => `${name}: ${String(state)}`).join(', ')
}

function attempt(ask: () => string): string {
  try {
    return ask()
  } catch (error) {
    return `unknown (${errorText(error)})`
  }
}
