/** The words of something that is searched, by field. */
export type Fields<Name extends string> = Readonly<Record<Name, readonly string[]>>

/** What a word counts for each thing it is found in, by its place. */
export type Scores = ReadonlyMap<number, number>

export interface WordIndex {
  /** By BM25; nothing for a word that is nowhere. A word that is found often counts less; at most as much as one that is found in `1 / rarity` of all. */
  scoresOf(word: string, mostIdf?: number): Scores
  has(word: string): boolean
  idfOf(word: string): number
  /** Every word, once. */
  words: readonly string[]
}

/** How soon more of a word says no more, and how much the length of a field counts. */
const K = 1.5
const B = 0.5

/**
 * An index for ranking by BM25 over several fields (BM25F: fields are weighed before what a word counts is saturated). Fields that weigh nothing are left out of
 * how rare a word is, and so are `beside`, whose words are ours.
 */
export function createWordIndex<Name extends string>(
  things: readonly Fields<Name>[],
  weights: Readonly<Record<Name, number>>,
  beside: Name,
): WordIndex {
  const names = Object.keys(weights) as Name[]
  const usual = new Map(
    names.map((name) => [name, Math.max(1, things.reduce((sum, thing) => sum + thing[name].length, 0) / things.length)]),
  )
  const found = new Map<string, Map<number, number>>()
  const own = new Map<string, Set<number>>()
  for (const [place, thing] of things.entries()) {
    for (const name of names) {
      const length = 1 - B + (B * thing[name].length) / usual.get(name)!
      for (const word of thing[name]) {
        const places = found.get(word) ?? new Map<number, number>()
        found.set(word, places.set(place, (places.get(place) ?? 0) + weights[name] / length))
        if (name !== beside) own.set(word, (own.get(word) ?? new Set()).add(place))
      }
    }
  }
  const idfOf = (word: string): number => {
    const count = own.get(word)?.size ?? found.get(word)?.size ?? 0
    return Math.log(1 + (things.length - count + 0.5) / (count + 0.5))
  }
  const known = new Map<string, Scores>()
  const none: Scores = new Map()
  return {
    words: [...found.keys()],
    has: (word) => found.has(word),
    idfOf,
    scoresOf(word, mostIdf = Infinity) {
      const places = found.get(word)
      if (!places) return none
      const key = `${word} ${mostIdf}`
      const before = known.get(key)
      if (before) return before
      const idf = Math.min(idfOf(word), mostIdf)
      const scores = new Map([...places].map(([place, count]) => [place, (idf * count * (K + 1)) / (K + count)]))
      known.set(key, scores)
      return scores
    },
  }
}
