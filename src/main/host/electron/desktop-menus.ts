import { homedir } from 'node:os'
import type { HostCommand } from '../../../shared/model/push'
import type { Engine } from '../../engine/engine-api'
import { logFile } from '../../log/app-log'
import { appMenu } from './app-menu'
import type { AppWindows } from './app-windows'
import { chooseFolder } from './desktop-actions'
import type { ElectronModule } from './electron-module'
import { offerRecentProjects, recentProjects, type RecentProject } from './recent-projects'

export interface DesktopMenusOptions {
  electron: ElectronModule
  platform: NodeJS.Platform
  home: string
  engine: Pick<Engine, 'sessions'>
  windows: AppWindows
  /** Brings a window to the front and tells its page. */
  show(command: HostCommand): void
  openProject(folder: string): void
  log(message: string): void
}

/** The application menu, and the system's own places for the latest projects. Made again only when those have changed. */
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
    const now = JSON.stringify(recent)
    if (now === this.#shown) return
    this.#shown = now
    const { electron, platform, windows, home, show, openProject, log } = this.#options
    const template = appMenu({
      platform,
      appName: 'Trestle',
      isPackaged: electron.app.isPackaged,
      recent,
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
      shortcuts: () => show('show-shortcuts'),
      showLog: () => electron.shell.showItemInFolder(logFile(home)),
      installCommand: () => void this.#installCommand(),
    })
    electron.Menu.setApplicationMenu(electron.Menu.buildFromTemplate(template))
    offerRecentProjects(electron, platform, recent, { open: openProject, newSession: () => show('new-session'), log })
  }

  #recent(): RecentProject[] {
    return recentProjects(this.#options.engine, homedir(), this.#clearedAt)
  }

  /** The engine's environment has the PATH of the user's terminals, where the login shell was read. */
  async #installCommand(): Promise<void> {
    const { home, windows, log } = this.#options
    try {
      const { installCommandOfApp } = await import('./install-command')
      const installed = await installCommandOfApp(home)
      if ('problem' in installed) windows.tellAll({ tell: installed.problem, tone: 'warning' })
      else windows.tellAll({ tell: `The command is installed: ${installed.path}. ${installed.hint ?? ''}`.trim(), tone: 'info' })
    } catch (error) {
      log(`the command could not be installed: ${String(error)}`)
      windows.tellAll({
        tell: `The command couldn't be installed: ${error instanceof Error ? error.message : String(error)}`,
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
