/** What a word counts that may be meant by one that is mistyped. */
const MISTYPED = 0.6

/** Words that one which is nowhere may be a slip of the keys for: one slip, or two in a word of more than five letters; the first letter is right. */
export function nearWords(said: string, words: Iterable<string>): [string, number][] {
  const most = said.length > 5 ? 2 : 1
  const near: [string, number][] = []
  for (const word of words) {
    if (word[0] !== said[0] || word.length < 4 || Math.abs(word.length - said.length) > most) continue
    if (slips(said, word) <= most) near.push([word, MISTYPED])
  }
  return near
}

/** Letters that are more, fewer, other, or swapped with the next. */
function slips(a: string, b: string): number {
  let [before, row]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, column) => column)]
  for (let line = 1; line <= a.length; line++) {
    const next = [line]
    for (let column = 1; column <= b.length; column++) {
      const other = row[column - 1]! + (a[line - 1] === b[column - 1] ? 0 : 1)
      const swapped =
        line > 1 && column > 1 && a[line - 1] === b[column - 2] && a[line - 2] === b[column - 1] ? before[column - 2]! + 1 : Infinity
      next.push(Math.min(row[column]! + 1, next[column - 1]! + 1, other, swapped))
    }
    ;[before, row] = [row, next]
  }
  return row[b.length]!
}
