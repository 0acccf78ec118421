import table from '../../../../resources/memory/similar-words.txt?raw'
import { stem } from './words'

/** How much an entry counts that has only a similar word, or only one that the word leads to. */
const SIMILAR = 0.55
const LEADS_TO = 0.4

let words: Map<string, Map<string, number>> | undefined

/**
 * Stems of words that people use for this one, each with how much it counts: below 1. Read from the table when it is
 * first needed.
 */
export function similarWords(stemmed: string): ReadonlyMap<string, number> {
  return (words ??= readTable()).get(stemmed) ?? NONE
}

const NONE: ReadonlyMap<string, number> = new Map()

function readTable(): Map<string, Map<string, number>> {
  const stems = new Map<string, string>()
  const stemOnce = (word: string): string => {
    let known = stems.get(word)
    if (known === undefined) stems.set(word, (known = stem(word)))
    return known
  }
  const read = new Map<string, Map<string, number>>()
  for (const line of table.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const [group = [], others] = line.split(' > ').map((part) => part.split(' ').map(stemOnce))
    for (const word of group) {
      let similar = read.get(word)
      if (!similar) read.set(word, (similar = new Map()))
      const weight = others ? LEADS_TO : SIMILAR
      for (const other of others ?? group)
        if (other !== word && (similar.get(other) ?? 0) < weight) similar.set(other, weight)
    }
  }
  return read
}
