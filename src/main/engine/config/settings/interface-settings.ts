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
  THEMES,
} from '../../../../shared/configuration/appearance'
import { isShortcutText, SHORTCUT_RULE } from '../../../../shared/configuration/shortcuts'
import { choice, custom, names, number, settingTable } from '../toml/setting-table'
import type { TableReader } from '../toml/table-reader'

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

/**
 * `[shortcuts]`: the keys of commands by their ids; an empty text means no keys. Invalid entries are reported and left
 * out.
 */
export function readShortcuts(reader: TableReader | undefined): Readonly<Record<string, string>> {
  const found: Record<string, string> = Object.create(null)
  for (const id of reader?.keys() ?? []) {
    const keys = reader!.string(id, { test: isShortcutText, must: SHORTCUT_RULE, canBeEmpty: true })
    if (keys !== undefined) found[id] = keys
  }
  return found
}

/** `[editor]`: the editor that opens files on a click. */
export interface EditorSettings {
  /**
   * A command on PATH, or its full path. Default: `$VISUAL` or `$EDITOR`, or the first editor found.
   */
  command?: string
}

/** Reads `[editor]`. */
export function readEditorSettings(reader: TableReader | undefined): EditorSettings {
  const command = reader?.string('command', {
    test: (name) => /^\S(?:.*\S)?$/.test(name),
    must: 'a command like "code" or "zed"',
  })
  reader?.finish()
  return command === undefined ? {} : { command }
}

/** The languages whose servers Trestle can find. */
const DIAGNOSED_LANGUAGES = ['typescript', 'python', 'go', 'rust'] as const
export type DiagnosedLanguage = (typeof DIAGNOSED_LANGUAGES)[number]

/** `[diagnostics]`: errors that language servers find in files the agent has just changed. */
export interface DiagnosticsSettings {
  enabled: boolean
  /** Program and arguments for a language instead of the server found; empty to turn that language off. */
  servers: Readonly<Partial<Record<DiagnosedLanguage, readonly string[]>>>
}

export const DEFAULT_DIAGNOSTICS: DiagnosticsSettings = { enabled: true, servers: {} }

/** Reads `[diagnostics]`; invalid values are reported, and their defaults apply. */
export function readDiagnostics(reader: TableReader | undefined): DiagnosticsSettings {
  if (!reader) return DEFAULT_DIAGNOSTICS
  const enabled = reader.flag('enabled') ?? DEFAULT_DIAGNOSTICS.enabled
  const table = reader.table('servers')
  const servers: DiagnosticsSettings['servers'] = Object.fromEntries(
    DIAGNOSED_LANGUAGES.flatMap((language) => {
      const command = table?.strings(language)
      return command ? [[language, command]] : []
    }),
  )
  table?.finish()
  reader.finish()
  return { enabled, servers }
}
