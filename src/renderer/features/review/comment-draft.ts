import { isRecord } from '../../../shared/json-fields'
import type { CommentDraft } from './diff/review-rows'

/** The draft of a comment from the browser's storage; undefined if it is invalid. */
export function storedCommentDraft(stored: string | undefined): CommentDraft | undefined {
  try {
    const value: unknown = JSON.parse(stored ?? 'null')
    if (!isRecord(value)) return undefined
    const { path, side, line, endLine, at, text, id } = value
    const isText = typeof path === 'string' && typeof text === 'string' && (side === 'old' || side === 'new')
    const isPlace = isLine(line) && isLine(endLine) && isLine(at)
    if (!isText || !isPlace || (id !== undefined && typeof id !== 'string')) return undefined
    return { path, side, line, endLine, at, text, ...(id !== undefined && { id }) }
  } catch {
    return undefined
  }
}

/** Whether both are drafts of the same comment, whatever their text. */
export function isSameComment(one: CommentDraft | undefined, other: CommentDraft): boolean {
  const names = ['id', 'path', 'side', 'line', 'endLine'] as const
  return one !== undefined && names.every((name) => one[name] === other[name])
}

function isLine(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0
}
