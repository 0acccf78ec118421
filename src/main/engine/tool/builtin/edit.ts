import { z } from 'zod'
import { FileProblem } from '../../workspace/file-problem'
import type { Workspace } from '../../workspace/workspace'
import { editText } from '../edit-text'
import { prepareFileChange } from '../file-change'
import { describeOccurrences, nearMiss, occurrences } from '../find-text'
import { refuse, type Tool } from '../tool'
import type { WriteHooks } from '../write-hooks'
import description from './edit.md?raw'

const input = z.strictObject({
  path: z.string().min(1).describe('File: absolute, ~/…, or relative to the project folder'),
  old_string: z.string().min(1).describe('Text to replace, exact'),
  new_string: z.string().describe('What takes its place'),
  replace_all: z.boolean().default(false).describe('Replace every occurrence'),
})

export function editTool({ workspace, hooks }: { workspace: Workspace; hooks?: () => WriteHooks | undefined }): Tool<typeof input> {
  return {
    name: 'Edit',
    description,
    input,
    subject: ['path'],
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
    async prepare({ path, old_string: oldString, new_string: newString, replace_all: all }) {
      if (oldString === newString) return refuse('old_string and new_string are equal, so nothing would change.')
      return prepareFileChange({
        workspace,
        hooks,
        path,
        mayCreate: false,
        needsText: true,
        change: (current, shown) =>
          editText(current, shown, (text, plain) => replace(text, plain(oldString), plain(newString), all, shown)),
      })
    },
  }
}

function replace(text: string, oldString: string, newString: string, all: boolean, shown: string): { text: string; said: string } {
  if (oldString === newString)
    throw new FileProblem(`old_string and new_string differ only in line endings, which ${shown} keeps as they are. Nothing would change.`)
  const found = occurrences(text, oldString)
  if (found.count === 0) {
    const hint = nearMiss(text, oldString) ?? 'Read the file again and copy the text exactly as it is there.'
    throw new FileProblem(`old_string was not found in ${shown}. ${hint}`)
  }
  if (all) {
    const pieces = text.split(oldString)
    const count = pieces.length - 1
    return { text: pieces.join(newString), said: `Replaced ${count} ${count === 1 ? 'occurrence' : 'occurrences'} in ${shown}.` }
  }
  if (found.count > 1)
    throw new FileProblem(
      `old_string occurs ${describeOccurrences(found)} in ${shown}. Add surrounding lines so that it fits one place only, or set replace_all.`,
    )
  // Put together by hand: String.replace would read `$&` and the like in the new text.
  const replaced = text.slice(0, found.first) + newString + text.slice(found.first + oldString.length)
  return { text: replaced, said: `Replaced 1 occurrence in ${shown} (line ${found.lines[0]}).` }
}
