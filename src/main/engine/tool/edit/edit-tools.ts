import { FileProblem } from '../../workspace/path/file-problem'
import { lineEndings } from '../../workspace/file/text-file'
import type { Workspace } from '../../workspace/workspace'
import type { CurrentText } from './planned-change'
import type { ChangedText } from './file-change'
import type { WriteHooks } from './write-changes'
import type { ModelInfo } from '../../model/provider'
import { withLineFeeds } from './line-ends'

/** What tools that edit text need. */
export interface EditDeps {
  workspace: Workspace
  /** The current hooks that inspect writes. */
  hooks?: () => WriteHooks | undefined
  /** Tests paths that are hidden from the agent; default: nothing is hidden. */
  hidden?: () => Promise<(path: string) => boolean>
}

/** Changes a text that the model sees with line feeds only; `plain` brings the model's own strings to the same form. */
export type TextEdit = (text: string, plain: (written: string) => string) => { text: string; report: string }

/**
 * Applies an edit to a file's text. If every line ends with CRLF, the file is edited with line feeds and keeps CRLF; a
 * file with mixed endings is edited as it is. Encoding and byte order mark are kept.
 */
export function editText(current: CurrentText | undefined, shown: string, edit: TextEdit): ChangedText {
  if (!current) throw new FileProblem(`${shown} does not exist.`, 'missing')
  const { text, format } = current
  const endings = lineEndings(text)
  if (endings === 'crlf') {
    const { text: edited, report } = edit(withLineFeeds(text), withLineFeeds)
    return { text: withLineFeeds(edited).replaceAll('\n', '\r\n'), format, report: `${report} CRLF line endings kept.` }
  }
  const { text: edited, report } = edit(text, (written) => written)
  return {
    text: edited,
    format,
    report:
      endings === 'mixed' ? `${report} The file has mixed line endings; only the replaced text was touched.` : report,
  }
}

const GENERAL = ['Edit', 'Patch']
const GPT = ['apply_patch']

/** The tools of which each model is offered one set. */
export const EDIT_TOOLS: ReadonlySet<string> = new Set([...GENERAL, ...GPT])

/** Models that were trained on apply_patch, when only their name is known. */
const GPT_NAME = /^(?:gpt-|o\d|codex)/

/**
 * The names of the tools that a model edits files with. If Edit is disabled, so is its replacement, apply_patch; if
 * apply_patch is disabled, Edit and Patch are offered again.
 */
export function editToolsOf(
  { model, traits }: Pick<ModelInfo, 'model' | 'traits'>,
  disabled: readonly string[],
): readonly string[] {
  // Gateways put the vendor before the name: `openai/gpt-5.4`.
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  const dialect = traits?.toolDialect ?? (GPT_NAME.test(name) ? 'gpt' : 'general')
  return dialect === 'gpt' && !disabled.includes('apply_patch') && !disabled.includes('Edit') ? GPT : GENERAL
}
