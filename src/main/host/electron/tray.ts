import type { MenuItemConstructorOptions, Tray } from 'electron'
import type { HostCommand } from '../../../shared/model/push'
import type { SessionSummary } from '../../../shared/model/session'
import type { ElectronModule } from './electron-module'
import { trayIcon } from './tray-icon'
import type { Work } from './work-watch'

export interface TrayActions {
  /** Brings a window to the front and tells its page. */
  show(command?: HostCommand): void
  quickPrompt(): void
  quit(): void
}

export interface TrayOptions extends TrayActions {
  electron: Pick<ElectronModule, 'Tray' | 'Menu' | 'nativeImage'>
  platform: NodeJS.Platform
  log(message: string): void
}

/** More sessions than this are in the window's list. */
const MOST_NAMED = 5
const MOST_CHARS = 40

/** The icon in the tray or menu bar, with what runs and what is pending. It can be taken away and put back. */
export class AppTray {
  readonly #options: TrayOptions
  #tray: Tray | undefined
  #work: Work = { running: [], waiting: [] }
  #shown = ''

  constructor(options: TrayOptions) {
    this.#options = options
  }

  get isShown(): boolean {
    return this.#tray !== undefined
  }

  setVisible(isVisible: boolean): void {
    if (isVisible === this.isShown) return
    if (!isVisible) {
      this.#tray?.destroy()
      this.#tray = undefined
      return
    }
    const { electron, platform, log, show } = this.#options
    try {
      this.#tray = new electron.Tray(trayIcon(electron.nativeImage, platform))
    } catch (error) {
      // A desktop without a tray: everything in it is in the window, too.
      log(`the tray icon could not be made: ${String(error)}`)
      return
    }
    // On a Mac a click opens the menu, everywhere else it is the right button's.
    if (platform !== 'darwin') this.#tray.on('click', () => show())
    this.#shown = ''
    this.update(this.#work)
  }

  update(work: Work): void {
    this.#work = work
    if (!this.#tray) return
    const { electron, platform } = this.#options
    const template = trayMenu(work, this.#options)
    const words = countWords(work)
    // Menus are made again only for what is new in them: on Linux an open one closes.
    const now = JSON.stringify([words, template.map(({ label }) => label)])
    if (now === this.#shown) return
    this.#shown = now
    this.#tray.setToolTip(words === '' ? 'Trestle' : `Trestle: ${words}`)
    this.#tray.setContextMenu(electron.Menu.buildFromTemplate(template))
    const waiting = work.waiting.length
    if (platform === 'darwin') this.#tray.setTitle(waiting === 0 ? '' : String(waiting))
  }
}

/** `2 running, 1 pending`; empty when nothing is. */
export function countWords({ running, waiting }: Work): string {
  return [...(running.length > 0 ? [`${running.length} running`] : []), ...(waiting.length > 0 ? [`${waiting.length} pending`] : [])].join(
    ', ',
  )
}

/** What waits for an answer first, then what runs, then what can be begun. */
export function trayMenu(work: Work, { show, quickPrompt, quit }: TrayActions): MenuItemConstructorOptions[] {
  const separator: MenuItemConstructorOptions = { type: 'separator' }
  const group = (title: string, sessions: readonly SessionSummary[], more: HostCommand): MenuItemConstructorOptions[] =>
    sessions.length === 0
      ? []
      : [
          { label: title, enabled: false },
          ...sessions.slice(0, MOST_NAMED).map(({ sessionId, title: name }) => ({
            label: named(name),
            click: () => show({ open: 'session', sessionId }),
          })),
          ...(sessions.length > MOST_NAMED ? [{ label: `${sessions.length - MOST_NAMED} more…`, click: () => show(more) }] : []),
          separator,
        ]
  return [
    ...group('Pending', work.waiting, 'open-inbox'),
    ...group('Running', work.running, 'open-inbox'),
    { label: 'New Session', click: () => show('new-session') },
    { label: 'Quick Prompt…', click: quickPrompt },
    { label: 'Show Trestle', click: () => show() },
    separator,
    { label: 'Quit Trestle', click: quit },
  ]
}

/** On Windows and Linux `&` marks the next letter as the key of an entry. */
function named(title: string): string {
  const name = title === '' ? 'New session' : title
  return (name.length > MOST_CHARS ? `${name.slice(0, MOST_CHARS)}…` : name).replaceAll('&', '&&')
}
