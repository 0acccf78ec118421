import type { MemoryContent } from '../../../shared/model/memory'
import type { MemoryWords, WordMatch } from '../store/memory-rows'
import { isTelling, stem, wordsOf } from './words'

/** What the search indexes hold of an entry. */
export function entryWords({
  key,
  category = '',
  text,
}: Pick<MemoryContent, 'key' | 'category' | 'text'>): MemoryWords {
  const [name, content] = [wordsOf(`${key} ${category}`), wordsOf(text)]
  return {
    stems: [...new Set([...name, ...content.filter(isTelling)].map(stem))].join(' '),
    words: [...new Set([...name, ...content])].join(' '),
  }
}

/** Most words of a search; a person types fewer. */
const MAX_TERMS = 12

/** The search of a person: all words must be found, each as a form of the word or as its beginning. */
export function searchMatches(query: string): WordMatch[] {
  const words = [...new Set(wordsOf(query.slice(0, 500)))].slice(0, MAX_TERMS)
  return words.map((word) => ({ stems: `"${stem(word)}"`, words: `"${word}" *` }))
}
