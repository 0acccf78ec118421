import type { Message, ResultPart, UserPart } from '../../../shared/model/message'

const MARK = /(?:^|\n\n)\[checkpoint \d+\]$/

/**
 * Tells the model the number of the checkpoint that the history has come to, at the end of its last message: results, or what was said to the
 * model. It is put there before the message first goes out, so what providers have cached stays right. An answer, and what is marked already, are left alone.
 */
export function markCheckpoint(history: Message[], checkpoint: number): void {
  const last = history.at(-1)
  if (!last || last.role === 'assistant') return
  const mark = `[checkpoint ${checkpoint}]`
  if (last.role === 'tool') {
    if (!isMark(last.content.at(-1))) history[history.length - 1] = { ...last, content: [...last.content, { type: 'text', text: mark }] }
    return
  }
  const part = last.parts.at(-1)
  if (part?.type !== 'text') history[history.length - 1] = { ...last, parts: [...last.parts, { type: 'text', text: mark }] }
  // One text stays one text: some servers take nothing else.
  else if (!MARK.test(part.text))
    history[history.length - 1] = { ...last, parts: [...last.parts.slice(0, -1), { ...part, text: `${part.text}\n\n${mark}` }] }
}

/** The mark of a result, when it ends with one. */
export function markOf(content: readonly ResultPart[]): ResultPart[] {
  const last = content.at(-1)
  return last && isMark(last) ? [last] : []
}

/** What the user said, without the mark. */
export function withoutMark(parts: readonly UserPart[]): UserPart[] {
  return parts.flatMap((part, index): UserPart[] => {
    if (index < parts.length - 1 || part.type !== 'text' || !MARK.test(part.text)) return [part]
    const text = part.text.replace(MARK, '')
    return text === '' && parts.length > 1 ? [] : [{ ...part, text }]
  })
}

function isMark(part: ResultPart | undefined): boolean {
  return part?.type === 'text' && MARK.test(part.text) && part.text.startsWith('[checkpoint ')
}
