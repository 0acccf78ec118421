import { z } from 'zod'
import { lazySchema } from '../../../../shared/lazy-schema'
import { FileProblem } from '../../workspace/path/file-problem'
import { editText, type EditDeps } from '../edit/edit-tools'
import { prepareFileChange } from '../edit/file-change'
import { describeOccurrences, explainNoMatch, findOccurrences } from '../edit/find-text'
import { fuzzyReplace, FUZZY_MATCH_NOTE } from '../edit/fuzzy-match'
import { refuse, type Tool } from '../tool'
import description from './edit.md?raw'

const input = lazySchema(() =>
  z.strictObject({
    path: z.string().min(1).describe('File'),
    old_string: z.string().min(1).describe('Text to replace, exact'),
    new_string: z.string().describe('What takes its place'),
    replace_all: z.boolean().default(false).describe('Replace every occurrence'),
  }),
)

export function editTool({ workspace, hooks, hidden }: EditDeps): Tool<typeof input> {
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
        mustBeRead: false,
        hidden,
        change: (current, shown, isKnown) =>
          editText(current, shown, (text, plain) => {
            const wanted = { oldString: plain(oldString), newString: plain(newString) }
            return all ? replaceAll(text, wanted, shown, isKnown) : replaceOnce(text, wanted, shown)
          }),
      })
    },
  }
}

interface Wanted {
  oldString: string
  newString: string
}

function replaceAll(
  text: string,
  { oldString, newString }: Wanted,
  shown: string,
  isKnown: boolean,
): { text: string; report: string } {
  requireDifference(oldString, newString, shown)
  const pieces = text.split(oldString)
  const count = pieces.length - 1
  if (count === 0) throw notFound(text, oldString, shown)
  // One exact match proves that the text is known; with several, some may be unexpected.
  if (count > 1 && !isKnown)
    throw new FileProblem(
      `${shown} has not been read in this session, and old_string occurs ${count} times in it. ` +
        'Read it first, then call again.',
    )
  return {
    text: pieces.join(newString),
    report: `Replaced ${count} ${count === 1 ? 'occurrence' : 'occurrences'} in ${shown}.`,
  }
}

function replaceOnce(text: string, { oldString, newString }: Wanted, shown: string): { text: string; report: string } {
  requireDifference(oldString, newString, shown)
  const found = findOccurrences(text, oldString)
  if (found.count > 1)
    throw new FileProblem(
      `old_string occurs ${describeOccurrences(found)} in ${shown}. ` +
        'Add surrounding lines to make it match one place only, or set replace_all.',
    )
  if (found.count === 0) {
    const loose = fuzzyReplace(text, oldString, newString)
    if (!loose) throw notFound(text, oldString, shown)
    return { text: loose.text, report: `Replaced 1 occurrence in ${shown} (line ${loose.line}). ${FUZZY_MATCH_NOTE}` }
  }
  // Assembled manually, because String.replace would interpret `$&` and the like in the new text.
  const replaced = text.slice(0, found.first) + newString + text.slice(found.first + oldString.length)
  return { text: replaced, report: `Replaced 1 occurrence in ${shown} (line ${found.lines[0]}).` }
}

function requireDifference(oldString: string, newString: string, shown: string): void {
  if (oldString === newString)
    throw new FileProblem(
      `old_string and new_string differ only in line endings, which ${shown} keeps as they are. Nothing would change.`,
    )
}

function notFound(text: string, oldString: string, shown: string): FileProblem {
  return new FileProblem(`old_string was not found in ${shown}. ${explainNoMatch(text, oldString)}`)
}
