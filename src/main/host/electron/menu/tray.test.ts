import type { MenuItemConstructorOptions } from 'electron'
import { describe, expect, it } from 'vitest'
import type { HostCommand } from '../../../../shared/events/push'
import type { SessionSummary } from '../../../../shared/model/session/session'
import type { ElectronModule } from '../platform/electron-module'
import { AppTray, statusText, trayMenu, type TrayActions } from './tray'

const session = (sessionId: string, title = sessionId) => ({ sessionId, title }) as SessionSummary
const NOTHING: TrayActions = { show: () => undefined, quickPrompt: () => undefined, quit: () => undefined }
const labels = (menu: readonly MenuItemConstructorOptions[]) => menu.map(({ label, type }) => label ?? type)

/** A system tray that records what it receives. */
function desktop() {
  const menus: MenuItemConstructorOptions[][] = []
  const shown: (HostCommand | undefined)[] = []
  const state = { toolTip: '', title: '', isDestroyed: false }
  class Tray {
    on = () => this
    destroy = () => (state.isDestroyed = true)
    setToolTip = (text: string) => (state.toolTip = text)
    setTitle = (text: string) => (state.title = text)
    setContextMenu = (menu: unknown) => menus.push(menu as MenuItemConstructorOptions[])
  }
  const electron = {
    Tray,
    Menu: { buildFromTemplate: (template: unknown) => template },
    nativeImage: {
      createFromDataURL: () => ({ addRepresentation: () => undefined, setTemplateImage: () => undefined }),
    },
  } as unknown as Pick<ElectronModule, 'Tray' | 'Menu' | 'nativeImage'>
  const tray = (platform: NodeJS.Platform = 'linux') =>
    new AppTray({ ...NOTHING, electron, platform, log: () => undefined, show: (command) => shown.push(command) })
  return { tray, menus, shown, state }
}

describe('the menu', () => {
  it('lists pending sessions before running ones, and the actions last', () => {
    const menu = trayMenu({ waiting: [session('w')], running: [session('r')] }, NOTHING)
    expect(labels(menu)).toEqual([
      'Pending',
      'w',
      'separator',
      'Running',
      'r',
      'separator',
      'New Session',
      'Quick Prompt…',
      'Show Trestle',
      'separator',
      'Quit Trestle',
    ])
  })

  it('names five sessions and counts the others', () => {
    const running = Array.from({ length: 7 }, (_, n) => session(`s${n}`))
    expect(labels(trayMenu({ waiting: [], running }, NOTHING)).slice(0, 7)).toEqual([
      'Running',
      's0',
      's1',
      's2',
      's3',
      's4',
      '2 more…',
    ])
  })

  it('truncates titles, keeps their ampersands, and names untitled sessions', () => {
    const running = [session('a', ''), session('b', 'R&D'), session('c', 'x'.repeat(60))]
    expect(labels(trayMenu({ waiting: [], running }, NOTHING)).slice(1, 4)).toEqual([
      'New session',
      'R&&D',
      `${'x'.repeat(40)}…`,
    ])
  })
})

describe('the icon', () => {
  it('opens the running session, even if an ended one has the same title', () => {
    const { tray, menus, shown } = desktop()
    const icon = tray()
    icon.setVisible(true)
    icon.update({ waiting: [], running: [session('old', '')] })
    icon.update({ waiting: [], running: [session('new', '')] })
    const entry = menus.at(-1)!.find(({ label }) => label === 'New session')
    ;(entry!.click as () => void)()
    expect(shown).toEqual([{ open: 'session', sessionId: 'new' }])
  })

  it('is not rebuilt while the menu is unchanged, because an open menu would close', () => {
    const { tray, menus } = desktop()
    const icon = tray()
    icon.setVisible(true)
    const before = menus.length
    icon.update({ waiting: [], running: [session('a')] })
    icon.update({ waiting: [], running: [session('a')] })
    expect(menus.length).toBe(before + 1)
  })

  it('shows on a Mac how many sessions are pending, and no number for zero', () => {
    const { tray, state } = desktop()
    const icon = tray('darwin')
    icon.setVisible(true)
    icon.update({ waiting: [session('a'), session('b')], running: [] })
    expect([state.title, state.toolTip]).toEqual(['2', 'Trestle: 2 pending'])
    icon.update({ waiting: [], running: [] })
    expect([state.title, state.toolTip]).toEqual(['', 'Trestle'])
  })

  it('shows the latest activity when it is shown again', () => {
    const { tray, menus, state } = desktop()
    const icon = tray()
    icon.setVisible(true)
    icon.setVisible(false)
    expect([icon.isShown, state.isDestroyed]).toEqual([false, true])
    icon.update({ waiting: [], running: [session('a')] })
    icon.setVisible(true)
    expect(labels(menus.at(-1)!)).toContain('a')
  })
})

it('shows what is running and what is pending', () => {
  expect(statusText({ running: [], waiting: [] })).toBe('')
  expect(statusText({ running: [session('a')], waiting: [session('b'), session('c')] })).toBe('1 running, 2 pending')
})
