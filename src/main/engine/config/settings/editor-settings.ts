import type { TableReader } from './table-reader'

/** `[editor]`: what files are opened with on a click. */
export interface EditorSettings {
  /**
   * A command on the PATH, or its whole path; default: the one of `$VISUAL` or `$EDITOR`, or the first that is found.
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

/** The languages whose servers Trestle knows how to find. */
export const DIAGNOSED_LANGUAGES = ['typescript', 'python', 'go', 'rust'] as const
export type DiagnosedLanguage = (typeof DIAGNOSED_LANGUAGES)[number]

/** `[diagnostics]`: errors that language servers find in files the agent has just changed. */
export interface DiagnosticsSettings {
  enabled: boolean
  /** Program and arguments to use for a language instead of the server that is found; empty: none for this language. */
  servers: Readonly<Partial<Record<DiagnosedLanguage, readonly string[]>>>
}

export const DEFAULT_DIAGNOSTICS: DiagnosticsSettings = { enabled: true, servers: {} }

/** Reads `[diagnostics]`; what is wrong in it is reported, and its default applies. */
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
