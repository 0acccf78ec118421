import { expect, it } from 'vitest'
import { DESKTOP } from './host-settings'
import { readSettings } from './read-settings'
import type { TomlTable } from '../toml/parse-toml'

const read = (desktop: TomlTable) => readSettings({ desktop }, '/config.toml')

it('by default, the desktop app keeps the computer awake and shows its icon', () => {
  expect(readSettings({}, '/config.toml').settings.desktop).toEqual(DESKTOP.defaults)
  const { settings, mistakes } = read({
    tray: false,
    keep_awake: false,
    quick_prompt: 'CmdOrCtrl+Shift+Space',
    window_per_project: true,
  })
  expect(settings.desktop).toEqual({
    ...DESKTOP.defaults,
    tray: false,
    keepAwake: false,
    quickPrompt: 'CmdOrCtrl+Shift+Space',
    windowPerProject: true,
  })
  expect(mistakes).toEqual([])
})

it.each(['Space', 'Ctrl+', 'Ctrl+Shift', 'ctrl-shift-p', 'Ctrl+Nothing', 'T'])(
  '%s is not a shortcut, and is reported',
  (quick_prompt) => {
    const { settings, mistakes } = read({ quick_prompt })
    expect(settings.desktop.quickPrompt).toBe('')
    expect(mistakes.map(({ message }) => message)).toEqual([
      `quick_prompt in [desktop] must be modifiers and a key, for example Ctrl+Shift+Space, not "${quick_prompt}"`,
    ])
  },
)

it('an empty shortcut turns the quick prompt off', () => {
  expect(read({ quick_prompt: '' })).toMatchObject({ settings: { desktop: { quickPrompt: '' } }, mistakes: [] })
})
