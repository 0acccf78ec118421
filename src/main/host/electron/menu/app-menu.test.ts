import { expect, test } from 'vitest'
import { appMenu, type MenuOptions, acceleratorOf } from './app-menu'

test('shortcuts are written in the menu format, and plain keys are left to the page', () => {
  expect(acceleratorOf('Mod+Shift+K')).toEqual({ accelerator: 'CmdOrCtrl+Shift+K' })
  expect(acceleratorOf('Mod++')).toEqual({ accelerator: 'CmdOrCtrl+Plus' })
  expect(acceleratorOf('F6')).toEqual({ accelerator: 'F6' })
  for (const plain of [undefined, '', '?', 'Shift+A']) expect(acceleratorOf(plain)).toEqual({})
})

test('menus show the keys that the user chose', () => {
  const menu = (shortcuts: MenuOptions['shortcuts']): string =>
    JSON.stringify(appMenu({ platform: 'linux', appName: 'Trestle', isPackaged: true, recent: [], shortcuts } as never))
  expect(menu({})).toContain('"label":"New Session","accelerator":"CmdOrCtrl+N"')
  expect(menu({ new: 'Mod+Shift+M', settings: '' })).toContain(
    '"label":"New Session","accelerator":"CmdOrCtrl+Shift+M"',
  )
  expect(menu({ settings: '' })).toContain('{"label":"Settings…"}')
})
