import type { ReviewComment } from '../../../shared/model/review'

/** The message that tells the agent the user's comments, by file and line. */
export function commentMessage(comments: readonly ReviewComment[]): string {
  const sorted = comments.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.line - b.line))
  const head = comments.length === 1 ? 'A comment on the changes:' : `${comments.length} comments on the changes:`
  return [head, ...sorted.map(one)].join('\n\n')
}

function one({ name, line, endLine, side, gone, quote, text }: ReviewComment): string {
  const lines = line === endLine ? `${line}` : `${line}-${endLine}`
  const remark = gone
    ? ' (these lines have been changed or removed since)'
    : side === 'old'
      ? ' (before the change)'
      : ''
  const quoted = quote.split('\n').map((row) => `> ${row}`.trimEnd())
  return [`${name}:${lines}${remark}`, ...(quote === '' ? [] : quoted), '', text.trim()].join('\n')
}
