import more from '../../../../../resources/tool-search/more-ways-to-say.txt?raw'
import most from '../../../../../resources/tool-search/ways-to-say.txt?raw'
import { splitWords, stem } from './tool-words'

/** How many other words may stand between two of a way to say something. */
const BETWEEN = 2

interface Way {
  said: readonly string[]
  meaning: readonly string[]
}

/** By their first word. */
const ways = new Map<string, Way[]>()
for (const line of `${most}\n${more}`.split('\n').filter((each) => each !== '' && !each.startsWith('#'))) {
  const [said = '', meaning = ''] = line.split(' > ')
  for (const way of said.split(', ')) {
    const words = way.split(' ').map(stem)
    ways.set(words[0]!, [...(ways.get(words[0]!) ?? []), { said: words, meaning: meaning.split(' ').map(stem) }])
  }
}

/** What is meant where some words of a request stand together, and the places of these words. */
export interface Meant {
  places: readonly number[]
  meaning: readonly string[]
}

/** The ways to say something that are in a request, given as its stems. */
export function waysIn(stems: readonly string[]): Meant[] {
  return stems.flatMap((first, place) =>
    (ways.get(first) ?? []).flatMap(({ said, meaning }) => {
      const places = placesOf(said, stems, place)
      return places ? { places, meaning } : []
    }),
  )
}

function placesOf(said: readonly string[], stems: readonly string[], from: number): number[] | undefined {
  const places = [from]
  for (const word of said.slice(1)) {
    const last = places.at(-1)!
    const next = stems.indexOf(word, last + 1)
    if (next === -1 || next - last > BETWEEN + 1) return undefined
    places.push(next)
  }
  return places
}

/** All words of a request as stems, with those that say nothing by themselves. */
export function allStems(request: string): string[] {
  return splitWords(request.replaceAll(/n[’']t\b/gi, ' not').replaceAll(/\bcannot\b/gi, 'can not')).map(stem)
}
