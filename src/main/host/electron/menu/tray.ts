import type { MenuItemConstructorOptions, Tray, NativeImage } from 'electron'
import type { HostCommand } from '../../../../shared/events/push'
import type { SessionSummary } from '../../../../shared/model/session/session'
import type { ElectronModule } from '../platform/electron-module'
import type { SessionActivity } from '../lifecycle/session-activity'
import { cutText } from '../../../../shared/cut-text'

export interface TrayActions {
  /** Brings a window to the front and sends its page a command. */
  show(command?: HostCommand): void
  quickPrompt(): void
  quit(): void
}

export interface TrayOptions extends TrayActions {
  electron: Pick<ElectronModule, 'Tray' | 'Menu' | 'nativeImage'>
  platform: NodeJS.Platform
  log(message: string): void
}

/** Maximum sessions in the menu; the window lists the rest. */
const MAX_NAMED = 5
const MAX_CHARS = 40

/** The icon in the tray or menu bar, with running and pending sessions. It can be removed and shown again. */
export class AppTray {
  readonly #options: TrayOptions
  #tray: Tray | undefined
  #work: SessionActivity = { running: [], waiting: [] }
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
      // A desktop without a tray: the window shows the same information.
      log(`the tray icon could not be made: ${String(error)}`)
      return
    }
    // On a Mac a click opens the menu, elsewhere a right click.
    if (platform !== 'darwin') this.#tray.on('click', () => show())
    this.#shown = ''
    this.update(this.#work)
  }

  update(work: SessionActivity): void {
    this.#work = work
    if (!this.#tray) return
    const { electron, platform } = this.#options
    const template = trayMenu(work, this.#options)
    const words = statusText(work)
    // Rebuild menus only when they change: on Linux an open menu would close.
    // Two sessions can have the same title.
    const ids = [...work.waiting, ...work.running].map(({ sessionId }) => sessionId)
    const now = JSON.stringify([words, ids, template.map(({ label }) => label)])
    if (now === this.#shown) return
    this.#shown = now
    this.#tray.setToolTip(words === '' ? 'Trestle' : `Trestle: ${words}`)
    this.#tray.setContextMenu(electron.Menu.buildFromTemplate(template))
    const waiting = work.waiting.length
    if (platform === 'darwin') this.#tray.setTitle(waiting === 0 ? '' : String(waiting))
  }
}

/** `2 running, 1 pending`; empty when nothing is. */
export function statusText({ running, waiting }: SessionActivity): string {
  return [
    ...(running.length > 0 ? [`${running.length} running`] : []),
    ...(waiting.length > 0 ? [`${waiting.length} pending`] : []),
  ].join(', ')
}

/** Pending sessions first, then running ones, then actions. */
export function trayMenu(
  work: SessionActivity,
  { show, quickPrompt, quit }: TrayActions,
): MenuItemConstructorOptions[] {
  const separator: MenuItemConstructorOptions = { type: 'separator' }
  const group = (title: string, sessions: readonly SessionSummary[], more: HostCommand): MenuItemConstructorOptions[] =>
    sessions.length === 0
      ? []
      : [
          { label: title, enabled: false },
          ...sessions.slice(0, MAX_NAMED).map(({ sessionId, title: name }) => ({
            label: named(name),
            click: () => show({ open: 'session', sessionId }),
          })),
          ...(sessions.length > MAX_NAMED
            ? [{ label: `${sessions.length - MAX_NAMED} more…`, click: () => show(more) }]
            : []),
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
  return (name.length > MAX_CHARS ? `${cutText(name, MAX_CHARS)}…` : name).replaceAll('&', '&&')
}

/** The trestle of renderer/public/icon.svg as PNG. macOS colours the black ones itself, to suit its menu bar. */
const TEMPLATE_16 =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAMAAAAoLQ9TAAAAwFBMVEVMaXEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABsFln9AAAAP3RSTlMAf2llp5MCEYhUqTPsrrvYqiQpTwV6fgvkpQj5OgE+2dNHz5AVBObFuY886b/jr5T3xJ0/oe20X4LK6EpukbVBwUnmAAAACXBIWXMAAFxGAABcRgEUlENBAAAAj0lEQVQY04WOxw7CMBBEB1IgCYTee++91/n/v8JeZCkSB95hR/uk9Rj4YZSI0ALqY0boAO7+xhTvYXhSMRnoG49vvgCbZx7kkRjTfAJXFXERPm0+gIuKjYju1qcXBBaPXOq92OjvvhXr1UKLPGu9pDCfciglJfPHGdtSUjDCkposc0Y06ajpZFwjKtUy/vMBnW0TkXoUgSgAAAAASUVORK5CYII='
const TEMPLATE_32 =
  'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAMAAABEpIrGAAABCFBMVEVMaXEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACyyCCFAAAAV3RSTlMAXn4F/bNE3e4z0zQo/gqI3okL+lQEKqlPqPg9AlkpU7dd+19Sk5m9cccWw82P8gxCijfRAcTt1ycGbT4NeQf5OVvrS9vlLrR2nm/i4Qh9TNJwUXW43CXYcSlzAAAACXBIWXMAAFxGAABcRgEUlENBAAABHklEQVQ4y82T13LCMBBFTTOhOB3iBEggkN57D+m9t/P/fxKVyUiK7Xfuk650R7NHu/K8nlB7L5+grXUV2CVROyqQSw5sqMDBkX8I3VBsnPtCJ3DREib0N7f/ykhB8QamM9JUITs8ASWrzgEY68CVMqdZKBchZQVEGek7aGr3BK/jMGQF8jA6CzPazcF7GnLmvF9cOim2H7SV0SkYNIECjGQe4VLbT/gqy0o9G+JZ3LKv7Qd8VxwMCSHggrOCUkMCv0HbgQjdN/xxMCREyw2UXuDWhqgeN/uMru/rHQtDQfwfAhtDQkSmxMaQENE5srohIaIBC0NCRAOmG6oT0YDpRiyEwgjW1KoGyzHDXlklWFSr+spSLe47NBbme+Nfer/ts1eGEUTIOAAAAABJRU5ErkJggg=='
const PLAIN_32 =
  'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAMAAABEpIrGAAAA21BMVEVMaXEqJyEqJiIqJiEuIiIpJiEqJyEqJiEqJyEqJyIqJyIpJyEpJiIpJyEpJyImJiYrKCIqJiEqJyEkJCQpJyIqJyL29O9TUEuysKrNy8bu7OcsKSSrqaSJh4I6NzLq6OMrKCM7ODOqqKRmZF9FQj1FQz3t6+ZnZWCKiIJKRkKUko1UUk2Vk47y8OuioJuamJLOzMe/vbg2My6lop3x7+piYFx0cWxfXFfY19G8ubXZ2NKfnZidm5a9ura6t7ODgHucmpWgnphpZ2FqaGKEgXy6t7LW1c/W1M9mZF7xWF29AAAAFXRSTlMA8YSDFvPO8lT+8IL0gc8UUs1VFdCa2QapAAAACXBIWXMAAFxGAABcRgEUlENBAAABMElEQVQ4y5WT6VbCMBCFByi0yCKIuYVC2aqirLK6i7u+/xOZtIW2qQ3H+6f3TL9kZpIMEZGWLhdZTMVcRiNXJzpLkG64//MsUXlOaDpTKFWjNFOqQKdqIEdZNaATOyAf6Jkx9cJAu4OYOu3/ADzFFNYMk5FpjiaYWZhGU3C10HjErXD3eLlGXyqSMR57xp1wT/jktAw0L2B/4UHYV3xfwmpKwDnwtsJW2A+s3oEzCRgAN8CPsI5rHQmwYa2BeZ1rDqwt2BLAy9oEZ7BpoCUBPLJY1n0tF0EbFDQRvqKgDdo34YSBwb4NkgPyApK3lFP6QD84213R/m2Q96iHGEeBMYbes6ay++1edaPALpCjjPpJlg4MztExkaEavYoYTiOVuL7ijXetUP1jfLLVEt+ffgFLDVkuyyy79AAAAABJRU5ErkJggg=='

/** The icon in the tray or menu bar. */
function trayIcon(nativeImage: ElectronModule['nativeImage'], platform: NodeJS.Platform): NativeImage {
  if (platform !== 'darwin') return nativeImage.createFromDataURL(urlOf(PLAIN_32))
  const image = nativeImage.createFromDataURL(urlOf(TEMPLATE_16))
  image.addRepresentation({ scaleFactor: 2, dataURL: urlOf(TEMPLATE_32) })
  image.setTemplateImage(true)
  return image
}

function urlOf(png: string): string {
  return `data:image/png;base64,${png}`
}
