import type { EditableText } from '../../../../shared/model/project/file-view'

type LineEnds = EditableText['lineEndings']

/**
 * The text for the editor. If every line ends with CRLF, the carriage returns are removed, and `forDisk` adds them
 * again. In a file with mixed line endings they stay characters, so that only edited lines change.
 */
export function forEditor(text: string, ends: LineEnds): string {
  return ends === 'crlf' ? text.replaceAll('\r\n', '\n') : text
}

/** The text of the editor with the line endings of the file. */
export function forDisk(text: string, ends: LineEnds): string {
  return ends === 'crlf' ? text.replaceAll('\n', '\r\n') : text
}
