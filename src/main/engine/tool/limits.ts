import { textOf, type ResultPart } from '../../../shared/model/message'
import type { ToolResult } from './tool'

/** How many characters of text a result may have unless the tool or the settings say otherwise. */
export const DEFAULT_MAX_RESULT_CHARS = 50_000
const PREVIEW_CHARS = 2_000

export interface ResultLimit {
  /** Default `DEFAULT_MAX_RESULT_CHARS`. */
  maxChars?: number
  /** Keeps the whole text; answers the path of its file. */
  save(text: string): Promise<string>
}

/**
 * The result as the model gets it. When its text is longer than allowed, the whole text goes to a file and size, path and a preview of 2,000
 * characters take its place; media stay. When it cannot be saved, the model gets as much as is allowed and is told.
 */
export async function limitResult(result: ToolResult, { maxChars = DEFAULT_MAX_RESULT_CHARS, save }: ResultLimit): Promise<ToolResult> {
  const length = result.content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0)
  if (length <= maxChars) return result
  const text = textOf(result.content)
  const size = `${length.toLocaleString('en-US')} characters, ${Buffer.byteLength(text).toLocaleString('en-US')} bytes`
  let shown: string
  try {
    const path = await save(text)
    const preview = cutAt(text, Math.min(PREVIEW_CHARS, maxChars))
    shown = `The result is too long to show (${size}). All of it is in ${path}; Read that file in parts, or Grep it. It begins:\n\n${preview}`
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    shown = `${cutAt(text, maxChars)}\n\n[Cut here: the result is too long to show (${size}) and could not be saved to a file (${reason}).]`
  }
  return { ...result, content: withText(result.content, shown) }
}

/** One text where the first text was; the other parts keep their order. */
function withText(content: readonly ResultPart[], text: string): ResultPart[] {
  const first = content.findIndex((part) => part.type === 'text')
  return content.flatMap((part, index): ResultPart[] => (part.type !== 'text' ? [part] : index === first ? [{ type: 'text', text }] : []))
}

/** The first `chars` characters, or one less where that would split a surrogate pair. */
export function cutAt(text: string, chars: number): string {
  if (text.length <= chars) return text
  const last = text.charCodeAt(chars - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? chars - 1 : chars)
}
