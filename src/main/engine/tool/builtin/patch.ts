import { z } from 'zod'
import { FileProblem } from '../../workspace/file-problem'
import type { Workspace } from '../../workspace/workspace'
import { editText } from '../edit-text'
import { prepareFileChange } from '../file-change'
import { describeOccurrences, nearMiss, occurrences } from '../find-text'
import { refuse, type Tool } from '../tool'
import type { WriteHooks } from '../write-hooks'
import description from './patch.md?raw'

const input = z.strictObject({
  path: z.string().min(1).describe('File: absolute, ~/…, or relative to the project folder'),
  patches: z
    .array(
      z.strictObject({ find: z.string().min(1).describe('Text to replace, exact'), replace: z.string().describe('What takes its place') }),
    )
    .min(1)
    .describe('Replacements, in order'),
})

type Replacement = z.output<typeof input>['patches'][number]

export function patchTool({ workspace, hooks }: { workspace: Workspace; hooks?: () => WriteHooks | undefined }): Tool<typeof input> {
  return {
    name: 'Patch',
    description,
    input,
    subject: ['path'],
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
    async prepare({ path, patches }) {
      const equal = patches.findIndex(({ find, replace }) => find === replace)
      if (equal >= 0) return refuse(`find and replace of patch ${equal + 1} are equal, so it would change nothing. Nothing was written.`)
      return prepareFileChange({
        workspace,
        hooks,
        path,
        mayCreate: false,
        needsText: true,
        change: (current, shown) =>
          editText(current, shown, (text, plain) => ({
            text: patches.reduce(
              (sofar, patch, index) =>
                replaceOnce(sofar, { find: plain(patch.find), replace: plain(patch.replace) }, index + 1, patches.length, shown),
              text,
            ),
            said: `Made ${patches.length} ${patches.length === 1 ? 'replacement' : 'replacements'} in ${shown}.`,
          })),
      })
    },
  }
}

function replaceOnce(text: string, { find, replace }: Replacement, number: number, of: number, shown: string): string {
  const found = occurrences(text, find)
  const which = of === 1 ? 'The text to find' : `The text that patch ${number} of ${of} looks for`
  const after = number > 1 ? ' as the patches before it leave the file' : ''
  if (found.count === 0) {
    const hint = nearMiss(text, find) ?? 'Read the file again and copy the text exactly as it is there.'
    throw new FileProblem(`${which} was not found in ${shown}${after}. ${hint} Nothing was written.`)
  }
  if (found.count > 1)
    throw new FileProblem(
      `${which} occurs ${describeOccurrences(found)} in ${shown}${after}. Add surrounding lines so that it fits one place only. Nothing was written.`,
    )
  return text.slice(0, found.first) + replace + text.slice(found.first + find.length)
}
