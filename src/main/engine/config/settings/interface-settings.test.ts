import { expect, test } from 'vitest'
import { USUAL_APPEARANCE } from '../../../../shared/configuration/appearance'
import { parseToml } from '../toml/parse-toml'
import { readSettings } from './read-settings'

function read(text: string) {
  const parsed = parseToml(text, 'config.toml')
  if (!('table' in parsed)) throw new Error(parsed.problem.message)
  const { settings, mistakes } = readSettings(parsed.table, 'config.toml')
  return { ...settings, mistakes: mistakes.map(({ message }) => message) }
}

test('without settings, the interface has its defaults', () => {
  const { appearance, language, shortcuts, skills, mistakes } = read('')
  expect({ appearance, language, shortcuts: { ...shortcuts }, skills, mistakes }).toEqual({
    appearance: USUAL_APPEARANCE,
    language: { language: 'en', formats: 'system' },
    shortcuts: {},
    skills: { disabled: [] },
    mistakes: [],
  })
})

test('appearance, formats and shortcuts are read from the file', () => {
  const { appearance, language, shortcuts } = read(
    '[appearance]\ntheme = "dark"\ntext_size = 125\ncode_font = "Fira Code"\n' +
      '[interface]\nformats = "de-CH"\n[shortcuts]\nnew = "Mod+Shift+M"\ninbox = ""\n',
  )
  expect(appearance).toMatchObject({ theme: 'dark', textSize: 125, codeFont: 'Fira Code' })
  expect(language.formats).toBe('de-CH')
  expect({ ...shortcuts }).toEqual({ new: 'Mod+Shift+M', inbox: '' })
})

test('invalid values are reported, and their defaults apply', () => {
  const { appearance, language, shortcuts, mistakes } = read(
    '[appearance]\naccent = "pink"\ntext_size = 500\ncode_font = "a\\"; }"\n' +
      '[interface]\nformats = "not a locale"\n[shortcuts]\nnew = "Hyper"\n',
  )
  expect(appearance).toEqual(USUAL_APPEARANCE)
  expect(language.formats).toBe('system')
  expect({ ...shortcuts }).toEqual({})
  expect(mistakes).toHaveLength(5)
})
