import type { EditableText } from '../../../../shared/model/project/file-view'

type LineEnds = EditableText['lineEndings']

/**
 * The text for the editor. Where every line ends with CRLF the carriage returns are left out, to be put back by
 * `forDisk`; in a file with several kinds of line ends they stay characters, so that no line changes that isn't edited.
 */
export function forEditor(text: string, ends: LineEnds): string {
  return ends === 'crlf' ? text.replaceAll('\r\n', '\n') : text
}

/** The text of the editor as the file has it. */
export function forDisk(text: string, ends: LineEnds): string {
  return ends === 'crlf' ? text.replaceAll('\n', '\r\n') : text
}
