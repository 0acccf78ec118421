import {
  ACCENTS,
  CONTRASTS,
  DENSITIES,
  FONT_NAME,
  FORMATS,
  INTERFACE_FONTS,
  LANGUAGE_CODES,
  MOTIONS,
  TEXT_SIZES,
} from '../../../../shared/configuration/appearance'
import { THEMES } from '../../../../shared/configuration/appearance'
import { isShortcutText, SHORTCUT_RULE } from '../../../../shared/configuration/shortcuts'
import { choice, custom, names, number, settingTable } from './setting-table'
import type { TableReader } from './table-reader'

/** `[appearance]`: how the interface looks. */
export const APPEARANCE = settingTable('appearance', {
  theme: choice('theme', THEMES, 'system', '`system`, `light` or `dark`'),
  accent: choice('accent', ACCENTS, 'graphite', '`graphite` or `violet`: the color of buttons, switches and the focus'),
  contrast: choice('contrast', CONTRASTS, 'system', '`system`, `normal` or `high`'),
  density: choice('density', DENSITIES, 'comfortable', '`comfortable` or `compact`'),
  motion: choice('motion', MOTIONS, 'system', '`system` or `reduced`: without animations'),
  textSize: number('text_size', 100, TEXT_SIZES, "size of the interface's text, in percent (80 to 150)"),
  codeSize: number('code_size', 100, TEXT_SIZES, 'size of code and terminals, in percent (80 to 150)'),
  interfaceFont: choice('interface_font', INTERFACE_FONTS, 'inter', '`inter` or `system`'),
  codeFont: custom(
    'code_font',
    '',
    'a font installed on your computer for code and terminals, for example `"Fira Code"`',
    (reader) =>
      reader.string('code_font', {
        test: (name) => FONT_NAME.pattern.test(name),
        must: FONT_NAME.must,
        canBeEmpty: true,
      }),
    'JetBrains Mono, which is included',
  ),
})

/** `[interface]`: the language, and how dates and numbers are written. */
export const INTERFACE = settingTable('interface', {
  language: choice('language', LANGUAGE_CODES, 'en', '`en`: English'),
  formats: custom(
    'formats',
    'system',
    'how dates and numbers are written: `system`, or a locale such as `"de-CH"`',
    (reader) => reader.string('formats', { test: isLocale, must: FORMATS.must }),
    'system',
  ),
})

/** `[skills]`. */
export const SKILLS = settingTable('skills', {
  disabled: names('disabled', 'names of skills that are turned off, for example `["review"]`'),
})

/** The tables of this file, for the documentation. */
export const INTERFACE_TABLES = [APPEARANCE, INTERFACE, SKILLS]

function isLocale(text: string): boolean {
  if (!FORMATS.pattern.test(text)) return false
  try {
    return text === 'system' || Intl.getCanonicalLocales(text).length > 0
  } catch {
    return false
  }
}

/** `[shortcuts]`: the keys of commands by their ids; an empty text means none. What is wrong is reported and left out. */
export function readShortcuts(reader: TableReader | undefined): Readonly<Record<string, string>> {
  const found: Record<string, string> = Object.create(null)
  for (const id of reader?.keys() ?? []) {
    const keys = reader!.string(id, { test: isShortcutText, must: SHORTCUT_RULE, canBeEmpty: true })
    if (keys !== undefined) found[id] = keys
  }
  return found
}
