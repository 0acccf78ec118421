import { errorText } from '../../../shared/error-text'
import { textOf, type ResultPart } from '../../../shared/model/turn/message'
import { truncateToHead, truncateToTail } from '../task/output/output-text'
import type { ToolResult } from './tool'

/** Truncation of results: the characters of text a result may have unless the tool or the settings say otherwise. */
export const DEFAULT_MAX_RESULT_CHARS = 50_000
/** Bytes of a longer result that the model gets, including the note about the cut. */
const SHOWN_BYTES = 20_000
/** The share of that for the start of the text. */
const HEAD_SHARE = 0.6

export interface TruncationOptions {
  /** Default `DEFAULT_MAX_RESULT_CHARS`. */
  maxChars?: number
  /** Saves the whole text; returns the path of its file. */
  save(text: string): Promise<string>
}

/**
 * The result as the model gets it. If its text is longer than allowed, the whole text is saved to a file and replaced
 * by its start and end, 20 kB in total, with the path between them. Media are kept. If it cannot be saved, the model
 * gets the same with a note about the failure.
 */
export async function truncateResult(
  result: ToolResult,
  { maxChars = DEFAULT_MAX_RESULT_CHARS, save }: TruncationOptions,
): Promise<ToolResult> {
  const length = result.content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0)
  if (length <= maxChars) return result
  const text = textOf(result.content)
  const size = `${length.toLocaleString('en-US')} characters, ${Buffer.byteLength(text).toLocaleString('en-US')} bytes`
  let where: string
  try {
    where = `All of it is in ${await save(text)}; Read that file in parts, or Grep it.`
  } catch (error) {
    where = `It could not be saved to a file (${errorText(error)}).`
  }
  const note = `[The result is too long to show (${size}). ${where} The middle is left out here.]`
  const room = Math.max(0, Math.min(SHOWN_BYTES, maxChars) - Buffer.byteLength(note) - 2)
  const head = truncateToHead(text, Math.floor(room * HEAD_SHARE))
  const tail = truncateToTail(text.slice(head.length), room - Buffer.byteLength(head))
  return { ...result, content: withText(result.content, `${head}${head.endsWith('\n') ? '' : '\n'}${note}\n${tail}`) }
}

/** Puts one text where the first text was; the other parts keep their order. */
function withText(content: readonly ResultPart[], text: string): ResultPart[] {
  const first = content.findIndex((part) => part.type === 'text')
  return content.flatMap((part, index): ResultPart[] =>
    part.type !== 'text' ? [part] : index === first ? [{ type: 'text', text }] : [],
  )
}

/** The first `chars` characters, or one fewer if that would split a surrogate pair. */
export function truncateText(text: string, chars: number): string {
  if (text.length <= chars) return text
  const last = text.charCodeAt(chars - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? chars - 1 : chars)
}
