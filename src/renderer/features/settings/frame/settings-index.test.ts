import { expect, test } from 'vitest'
import { SETTINGS_SECTIONS } from '../../../state/page/layout-state'
import { findSettings, SETTINGS_INDEX } from './settings-index'

const labels = (query: string) => findSettings(query, SETTINGS_SECTIONS).map(({ label }) => label)

test('every section of the settings can be found', () => {
  for (const section of SETTINGS_SECTIONS) expect(SETTINGS_INDEX.some((one) => one.section === section)).toBe(true)
})

test('settings are found by their names and by synonyms, names first', () => {
  expect(labels('dark')).toEqual(['Theme'])
  expect(labels('hotkeys')).toEqual(['Keyboard shortcuts'])
  expect(labels('theme')[0]).toBe('Theme')
  expect(labels('zzz')).toEqual([])
  expect(labels('  ')).toEqual([])
})

test('a section that this host lacks is omitted', () => {
  expect(findSettings('tray', ['general'])).toEqual([])
})
