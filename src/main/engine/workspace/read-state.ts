import type { ReadState, SeenLines } from './workspace'

/** A read state that starts with what earlier events of the session tell: pairs of real path and content mark, oldest first. */
export function createReadState(earlier: Iterable<readonly [realPath: string, contentMark: string]> = []): ReadState {
  const files = new Map<string, SeenContent>()
  const markRead: ReadState['markRead'] = (realPath, mark, seen = 'all') => {
    const known = files.get(realPath)
    const content = known?.mark === mark ? known : new SeenContent(mark)
    files.set(realPath, content)
    content.add(seen)
  }
  for (const [realPath, mark] of earlier) markRead(realPath, mark)
  return {
    markRead,
    lastRead: (realPath) => files.get(realPath)?.mark,
    hasSeenAll: (realPath) => files.get(realPath)?.isWhole ?? false,
    forget: () => files.clear(),
  }
}

/** How much of one version of a file the agent has been shown; reads of several parts add up. */
class SeenContent {
  readonly mark: string
  isWhole = false
  /** Lines shown, as ranges that neither touch nor overlap, in order. */
  #ranges: [first: number, last: number][] = []
  /** Of lines that are shown in parts: up to which character. */
  readonly #partly = new Map<number, number>()

  constructor(mark: string) {
    this.mark = mark
  }

  add(seen: SeenLines | 'all' | 'part'): void {
    if (seen === 'all') this.isWhole = true
    if (typeof seen === 'string') return
    const cut = new Set(seen.cut?.map(({ line }) => line))
    for (let [line, first] = [seen.first, seen.first]; line <= seen.last + 1; line++) {
      if (line <= seen.last && !cut.has(line)) continue
      if (line > first) this.#addRange(first, line - 1)
      first = line + 1
    }
    for (const each of seen.cut ?? []) this.#addPart(each)
    const [only, ...more] = this.#ranges
    if (seen.total === undefined || more.length > 0) return
    if (seen.total === 0 || (only && only[0] <= 1 && only[1] >= seen.total)) this.isWhole = true
  }

  #addPart({ line, from, to, end }: NonNullable<SeenLines['cut']>[number]): void {
    const before = this.#partly.get(line) ?? 0
    if (from > before + 1) return
    const now = Math.max(before, to)
    this.#partly.set(line, now)
    if (end) this.#addRange(line, line)
  }

  #addRange(first: number, last: number): void {
    const apart = this.#ranges.filter(([from, to]) => to < first - 1 || from > last + 1)
    const joined = this.#ranges.filter(([from, to]) => to >= first - 1 && from <= last + 1)
    const range: [number, number] = [Math.min(first, ...joined.map(([from]) => from)), Math.max(last, ...joined.map(([, to]) => to))]
    this.#ranges = [...apart, range].toSorted(([a], [b]) => a - b)
  }
}
