import { FileProblem } from '../workspace/file-problem'
import { lineEndings } from '../workspace/text-file'
import type { Workspace } from '../workspace/workspace'
import type { CurrentText } from './change/planned-change'
import type { ChangedText } from './file-change'
import type { WriteHooks } from './write-hooks'

/** What tools need that change texts. */
export interface EditDeps {
  workspace: Workspace
  /** What may look at writes, as things are at that moment. */
  hooks?: () => WriteHooks | undefined
  /** What the agent may not see; default: nothing. */
  hidden?: () => Promise<(path: string) => boolean>
}

/** Changes a text that the model sees with line feeds only; `plain` brings the model's own strings to the same form. */
export type TextEdit = (text: string, plain: (written: string) => string) => { text: string; said: string }

/**
 * Applies an edit to a file's text. A file in which every line ends with CRLF is edited as if they were line feeds and keeps CRLF; one with mixed
 * endings is taken as it is. Encoding and byte order mark stay.
 */
export function editText(current: CurrentText | undefined, shown: string, edit: TextEdit): ChangedText {
  if (!current) throw new FileProblem(`${shown} does not exist.`, 'missing')
  const { text, format } = current
  const endings = lineEndings(text)
  if (endings === 'crlf') {
    const { text: edited, said } = edit(withLineFeeds(text), withLineFeeds)
    return { text: withLineFeeds(edited).replaceAll('\n', '\r\n'), format, said: `${said} CRLF line endings kept.` }
  }
  const { text: edited, said } = edit(text, (written) => written)
  return {
    text: edited,
    format,
    said: endings === 'mixed' ? `${said} The file has mixed line endings; only the replaced text was touched.` : said,
  }
}

function withLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n')
}
