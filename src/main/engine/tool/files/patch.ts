import { z } from 'zod'
import { lazySchema, type SchemaOutput } from '../../../../shared/lazy-schema'
import { FileProblem } from '../../workspace/path/file-problem'
import { editText, type EditDeps } from '../edit/edit-tools'
import { prepareFileChange } from '../edit/file-change'
import { describeOccurrences, explainNoMatch, findOccurrences } from '../edit/find-text'
import { fuzzyReplace, FUZZY_MATCH_NOTE } from '../edit/fuzzy-match'
import { refuse, type Tool } from '../tool'
import description from './patch.md?raw'

const input = lazySchema(() =>
  z.strictObject({
    path: z.string().min(1).describe('File'),
    patches: z
      .array(
        z.strictObject({
          find: z.string().min(1).describe('Text to replace, exact'),
          replace: z.string().describe('What takes its place'),
        }),
      )
      .min(1)
      .describe('Replacements, in order'),
  }),
)

type Replacement = SchemaOutput<typeof input>['patches'][number]

export function patchTool({ workspace, hooks, hidden }: EditDeps): Tool<typeof input> {
  return {
    name: 'Patch',
    description,
    input,
    subject: ['path'],
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
    async prepare({ path, patches }) {
      const equal = patches.findIndex(({ find, replace }) => find === replace)
      if (equal >= 0)
        return refuse(
          `find and replace of patch ${equal + 1} are equal, so it would change nothing. Nothing was written.`,
        )
      return prepareFileChange({
        workspace,
        hooks,
        path,
        mayCreate: false,
        needsText: true,
        mustBeRead: false,
        hidden,
        change: (current, shown) =>
          editText(current, shown, (text, plain) => {
            let [patched, isLoose] = [text, false]
            for (const [index, { find, replace }] of patches.entries()) {
              const made = replaceOnce(
                patched,
                { find: plain(find), replace: plain(replace) },
                index + 1,
                patches.length,
                shown,
              )
              patched = made.text
              isLoose ||= made.isLoose
            }
            const count = `${patches.length} ${patches.length === 1 ? 'replacement' : 'replacements'}`
            const report = `Made ${count} in ${shown}.`
            return { text: patched, report: isLoose ? `${report} ${FUZZY_MATCH_NOTE}` : report }
          }),
      })
    },
  }
}

function replaceOnce(
  text: string,
  { find, replace }: Replacement,
  number: number,
  of: number,
  shown: string,
): { text: string; isLoose: boolean } {
  const found = findOccurrences(text, find)
  const which = of === 1 ? 'The text to find' : `The text that patch ${number} of ${of} looks for`
  const after = number > 1 ? ' as the patches before it leave the file' : ''
  if (found.count === 0) {
    const loose = fuzzyReplace(text, find, replace)
    if (loose) return { text: loose.text, isLoose: true }
    throw new FileProblem(
      `${which} was not found in ${shown}${after}. Nothing was written. ${explainNoMatch(text, find)}`,
    )
  }
  if (found.count > 1)
    throw new FileProblem(
      `${which} occurs ${describeOccurrences(found)} in ${shown}${after}. ` +
        'Add surrounding lines to make it match one place only. Nothing was written.',
    )
  return { text: text.slice(0, found.first) + replace + text.slice(found.first + find.length), isLoose: false }
}
