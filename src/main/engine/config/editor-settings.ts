import type { TableReader } from './table-reader'

/** `[editor]`: what files are opened with on a click. */
export interface EditorSettings {
  /** A command on the PATH, or its whole path; default: the one of `$VISUAL` or `$EDITOR`, or the first that is found. */
  command?: string
}

/** Reads `[editor]`. */
export function readEditorSettings(reader: TableReader | undefined): EditorSettings {
  const command = reader?.string('command', { test: (name) => /^\S(?:.*\S)?$/.test(name), must: 'a command like "code" or "zed"' })
  reader?.finish()
  return command === undefined ? {} : { command }
}
