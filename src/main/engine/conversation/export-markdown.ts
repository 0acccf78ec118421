import { doneLabel } from '../../../shared/tool-label'
import type { ConversationBlock } from './conversation-blocks'
import { cutText, shortText } from '../../../shared/cut-text'

/** Longer results are truncated, because the export is for reading. */
const MAX_RESULT_CHARS = 20_000

/** A conversation as Markdown. */
export function markdownOf(title: string, blocks: readonly ConversationBlock[]): string {
  return `# ${oneLine(title)}\n${blocks.map(blockText).join('')}`
}

function blockText(block: ConversationBlock): string {
  switch (block.kind) {
    case 'you':
      return (
        '\n## You\n\n' +
        [...block.media.map(({ name, mediaType }) => `_Attached: ${name ?? mediaType}_\n`), block.text, ''].join('\n')
      )
    case 'trestle':
      return `\n## Trestle\n\n${block.text}\n`
    case 'agent':
      return block.text.trim() === '' ? '' : `\n## Agent${block.isPartial ? ' (incomplete)' : ''}\n\n${block.text}\n`
    default:
      return (
        `\n- **${doneLabel(block.name)}** ${oneLine(block.summary)}${block.isError ? ' (failed)' : ''}\n` +
        resultText(block.result)
      )
  }
}

/** The result in a code block, indented as part of the list item. */
function resultText(result: string): string {
  if (result.trim() === '') return ''
  const text = shortened(result)
  // Longer than any run of backticks in the text.
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
  const fence = '`'.repeat(Math.max(3, longest + 1))
  return `\n${[fence, ...text.split('\n'), fence].map((line) => `  ${line}`).join('\n')}\n`
}

/** The start of a long result, with a note of what is omitted. */
export function shortened(result: string): string {
  const left = result.length - MAX_RESULT_CHARS
  if (left <= 0) return result.trimEnd()
  const more = `… ${left.toLocaleString('en-US')} more ${left === 1 ? 'character' : 'characters'}`
  return `${cutText(result, MAX_RESULT_CHARS).toWellFormed()}\n${more}`
}

export function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return shortText(line, 200)
}
