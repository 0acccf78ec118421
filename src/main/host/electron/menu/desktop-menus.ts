import { homedir } from 'node:os'
import { basename, sep } from 'node:path'
import { errorText } from '../../../../shared/error-text'
import type { HostCommand } from '../../../../shared/events/push'
import type { Engine } from '../../../engine/engine-api'
import { logFile } from '../../../engine/health/app-log'
import { appMenu } from './app-menu'
import type { AppWindows } from '../window/app-windows'
import { chooseFolder } from '../page/page-actions'
import type { ElectronModule } from '../platform/electron-module'
import { NEW_SESSION_ARGUMENT } from '../lifecycle/launch-request'
import { cutText } from '../../../../shared/cut-text'

export interface DesktopMenusOptions {
  electron: ElectronModule
  platform: NodeJS.Platform
  home: string
  engine: Pick<Engine, 'sessions' | 'settings'>
  windows: AppWindows
  /** Brings a window to the front and sends its page a command. */
  show(command: HostCommand): void
  openProject(folder: string): void
  log(message: string): void
}

/**
 * The application menu and the system's lists of recent projects. Rebuilt only when those, or the user's keys, have
 * changed.
 */
export class DesktopMenus {
  readonly #options: DesktopMenusOptions
  #clearedAt = 0
  #shown: string | undefined

  constructor(options: DesktopMenusOptions) {
    this.#options = options
  }

  latestProject(): string | undefined {
    return this.#recent()[0]?.folder
  }

  update(): void {
    const recent = this.#recent()
    const { shortcuts } = this.#options.engine.settings.view()
    const now = JSON.stringify([recent, shortcuts])
    if (now === this.#shown) return
    this.#shown = now
    const { electron, platform, windows, home, show, openProject, log } = this.#options
    const template = appMenu({
      platform,
      appName: 'Trestle',
      isPackaged: electron.app.isPackaged,
      recent,
      shortcuts,
      newSession: () => show('new-session'),
      newWindow: () => void windows.open('/new'),
      openProject: () => void this.#chooseProject(),
      openRecent: openProject,
      clearRecent: () => {
        this.#clearedAt = Date.now()
        electron.app.clearRecentDocuments()
        this.update()
      },
      closeWindow: () => electron.BrowserWindow.getFocusedWindow()?.close(),
      settings: () => show('open-settings'),
      find: () => show('find'),
      showShortcuts: () => show('show-shortcuts'),
      showLog: () => electron.shell.showItemInFolder(logFile(home)),
      installCommand: () => void this.#installCommand(),
    })
    electron.Menu.setApplicationMenu(electron.Menu.buildFromTemplate(template))
    offerRecentProjects(electron, platform, recent, { open: openProject, newSession: () => show('new-session'), log })
  }

  #recent(): RecentProject[] {
    return recentProjects(this.#options.engine, homedir(), this.#clearedAt)
  }

  /** The engine's environment has the PATH of the user's terminals, if the login shell was read. */
  async #installCommand(): Promise<void> {
    const { home, windows, log } = this.#options
    try {
      const { installCommandOfApp } = await import('./install-command')
      const installed = await installCommandOfApp(home)
      if ('problem' in installed) windows.sendToAll({ tell: installed.problem, tone: 'warning' })
      else
        windows.sendToAll({
          tell: `The command is installed: ${installed.path}. ${installed.hint ?? ''}`.trim(),
          tone: 'info',
        })
    } catch (error) {
      log(`the command could not be installed: ${String(error)}`)
      windows.sendToAll({
        tell: `The command couldn't be installed: ${errorText(error)}`,
        tone: 'warning',
      })
    }
  }

  async #chooseProject(): Promise<void> {
    const { electron, windows, openProject, log } = this.#options
    try {
      const folder = await chooseFolder(electron, windows.current(), this.latestProject())
      if (folder !== null) openProject(folder)
    } catch (error) {
      log(`the folder dialog failed: ${String(error)}`)
    }
  }
}

const MAX_RECENT = 10

interface RecentProject {
  folder: string
  /** The folder's label in menus. */
  label: string
}

/** Distinct folders of the latest sessions, newest first, except those cleared from the menu. */
function recentProjects(engine: Pick<Engine, 'sessions'>, userHome: string, clearedAt: number): RecentProject[] {
  const latest = new Map<string, number>()
  for (const { folder, updatedAt } of engine.sessions.list({}))
    latest.set(folder, Math.max(updatedAt, latest.get(folder) ?? 0))
  return [...latest]
    .filter(([, updatedAt]) => updatedAt > clearedAt)
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, MAX_RECENT)
    .map(([folder]) => ({
      folder,
      label: folder.startsWith(userHome + sep) ? `~${folder.slice(userHome.length)}` : folder,
    }))
}

/**
 * Shows the recent projects in the Dock menu or the taskbar's jump list. On other systems only the menu bar has them.
 */
function offerRecentProjects(
  { app, Menu }: Pick<ElectronModule, 'app' | 'Menu'>,
  platform: NodeJS.Platform,
  recent: readonly RecentProject[],
  actions: { open(folder: string): void; newSession(): void; log(message: string): void },
): void {
  if (platform === 'darwin') {
    app.dock?.setMenu(
      Menu.buildFromTemplate([
        { label: 'New Session', click: () => actions.newSession() },
        { type: 'separator' },
        ...recent.map(({ folder, label }) => ({ label, click: () => actions.open(folder) })),
      ]),
    )
  }
  // Jump list entries start the program, which is bare Electron when not packaged.
  if (platform === 'win32' && app.isPackaged) {
    const program = process.execPath
    const result = app.setJumpList([
      {
        type: 'custom',
        name: 'Recent Projects',
        items: recent.map(({ folder }) => ({
          type: 'task',
          title: basename(folder) || folder,
          description: cutText(folder, 260),
          program,
          args: `"${folder}"`,
        })),
      },
      {
        type: 'tasks',
        items: [
          { type: 'task', title: 'New Session', description: 'Starts a session', program, args: NEW_SESSION_ARGUMENT },
        ],
      },
    ])
    // The user removed entries: Windows rejects lists that contain them, and the next change leaves them out.
    if (result !== 'ok') actions.log(`the jump list was not set: ${result}`)
  }
}
