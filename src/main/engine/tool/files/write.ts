import { z } from 'zod'
import { lazySchema } from '../../../../shared/lazy-schema'
import { describeFormat, encodeText, type TextFormat } from '../../workspace/file/text-file'
import type { Workspace } from '../../workspace/workspace'
import type { CurrentText } from '../edit/planned-change'
import { prepareFileChange, type ChangedText } from '../edit/file-change'
import type { Tool } from '../tool'
import type { WriteHooks } from '../edit/write-changes'
import description from './write.md?raw'

const input = lazySchema(() =>
  z.strictObject({
    path: z.string().min(1).describe('File'),
    content: z.string().describe('The text, exactly as it is to be written'),
    mode: z.enum(['overwrite', 'append']).default('overwrite').describe('append adds to the end'),
  }),
)

const PLAIN: TextFormat = { encoding: 'utf-8', bom: false }

export function writeTool({
  workspace,
  hooks,
}: {
  workspace: Workspace
  hooks?: () => WriteHooks | undefined
}): Tool<typeof input> {
  return {
    name: 'Write',
    description,
    input,
    subject: ['path'],
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
    async prepare({ path, content, mode }) {
      const append = mode === 'append'
      const change = (current: CurrentText | undefined, shown: string): ChangedText =>
        append ? appended(current, content, shown) : written(current, content, shown)
      const prepared = await prepareFileChange({
        workspace,
        hooks,
        path,
        mayCreate: true,
        needsText: append,
        mustBeRead: true,
        replacesAll: !append,
        change,
      })
      return 'refused' in prepared || !append ? prepared : { ...prepared, summary: `${prepared.summary} (append)` }
    },
  }
}

/** A file keeps its encoding: the model cannot see it, so it cannot intend to change it. */
function written(current: CurrentText | undefined, content: string, shown: string): ChangedText {
  const format = current?.format ?? PLAIN
  const bytes = encodeText(content, format).length
  const report = current
    ? `Replaced ${shown}: ${size(bytes)}, before ${size(current.size)}.`
    : `Wrote ${shown}: ${size(bytes)}.`
  return { text: content, format, report: report + encodingText(format) }
}

function appended(current: CurrentText | undefined, content: string, shown: string): ChangedText {
  if (!current) return written(current, content, shown)
  const text = current.text + content
  const bytes = encodeText(text, current.format).length
  return {
    text,
    format: current.format,
    report: `Appended ${size(bytes - current.size)} to ${shown}: now ${size(bytes)}.${encodingText(current.format)}`,
  }
}

function encodingText(format: TextFormat): string {
  const encoding = describeFormat(format)
  return encoding === undefined ? '' : ` It keeps its encoding, ${encoding}.`
}

function size(bytes: number): string {
  return `${bytes.toLocaleString('en-US')} ${bytes === 1 ? 'byte' : 'bytes'}`
}
