/** A change is told by its lines while these take at most this share of the whole list. */
const MOST_SHARE = 0.5

/** What came to a list of one line each, and what went; undefined when the whole list says it better, `''` when nothing has changed for a reader. */
export function listChange(before: string, after: string): string | undefined {
  const [old, now] = [linesOf(before), linesOf(after)]
  const come = [...now].filter(([id, line]) => !saysTheSame(old.get(id), line)).map(([, line]) => line)
  const gone = [...old.keys()].filter((id) => !now.has(id))
  const parts = [
    ...(come.length > 0 ? [`New or changed:\n${come.join('\n')}`] : []),
    ...(gone.length > 0 ? [`Gone:\n${gone.join('\n')}`] : []),
  ]
  const text = parts.join('\n')
  return text.length > after.length * MOST_SHARE ? undefined : text
}

/** By what each line is about: the words before its colon. */
function linesOf(text: string): Map<string, string> {
  return new Map(text.split('\n').map((line) => [/^.*?(?=: |$)/.exec(line)![0], line]))
}

/** How much of a description a list has room for depends on the others in it: a cut that is made elsewhere is no change. */
function saysTheSame(before: string | undefined, after: string): boolean {
  if (before === undefined) return false
  if (before === after) return true
  const [shorter, longer] = before.length < after.length ? [before, after] : [after, before]
  return shorter.endsWith('…') && longer.startsWith(shorter.slice(0, -1).trimEnd())
}
