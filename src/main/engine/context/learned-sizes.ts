import { noSize, totalOf, type Size } from './estimate'
import { PICTURE_FORMULAS, type PictureFormula } from './picture-tokens'

/** The kinds whose measure is learned; pictures are counted by a formula. */
const KINDS = ['plain', 'wide', 'dense', 'head'] as const

/** The guess counts like so many tokens that were seen: it fades once some of a kind have been counted. */
const TOKENS_OF_GUESS = 800
/** What was counted earlier counts less with each request: a model may be replaced behind its name. */
const FADING = 0.995
/** Counts of fewer tokens than this are mostly what the provider adds itself. */
const LEAST_SAMPLE = 50
/** No tokenizer is further from the guess; a count beyond this is of something else. */
const [LEAST_FACTOR, MOST_FACTOR] = [0.15, 4]

/** What a model has shown of its tokens: how many there are in text of each kind. */
export interface LearnedSizes {
  /** Tokens of what is of this size. */
  tokens(size: Size): number
  /** The provider has counted so many tokens for what is of this size. */
  learn(size: Size, counted: number): void
  /** Whether anything was learned yet. */
  hasLearned(): boolean
}

/**
 * Finds the factors, one a kind, by which the careful guess fits what was counted with the least squared error; where a kind was not seen the guess
 * stands. So a page of Chinese is not measured by what was learned from code. `formula`: how pictures are counted; absent: by the one that counts most.
 */
export function createLearnedSizes(formula?: PictureFormula): LearnedSizes {
  const media = (size: Size): number => (formula === undefined ? size.media : size.byVendor[PICTURE_FORMULAS.indexOf(formula)]!)
  const products = KINDS.map(() => KINDS.map(() => 0))
  const results = KINDS.map(() => 0)
  let factors: number[] = KINDS.map(() => 1)
  let samples = 0
  return {
    tokens: (size) => KINDS.reduce((sum, kind, index) => sum + size[kind] * factors[index]!, media(size)),
    learn(size, counted) {
      const guess = totalOf({ ...noSize(), ...size, media: 0 })
      const own = counted - media(size)
      if (guess < LEAST_SAMPLE || own < guess * LEAST_FACTOR || own > guess * MOST_FACTOR) return
      samples += 1
      // A request of 100,000 tokens is not a hundred times as sure as one of 1,000.
      const weight = 1 / Math.max(1, guess / 4000)
      for (const [row, one] of KINDS.entries()) {
        results[row] = results[row]! * FADING + size[one] * own * weight
        for (const [column, other] of KINDS.entries())
          products[row]![column] = products[row]![column]! * FADING + size[one] * size[other] * weight
      }
      factors = solved(products, results)
    },
    hasLearned: () => samples > 0,
  }
}

/** The factors for which the error is least, held near 1 by the guess. */
function solved(products: readonly number[][], results: readonly number[]): number[] {
  const guess = TOKENS_OF_GUESS ** 2
  const rows = products.map((row, index) => [
    ...row.map((value, column) => (column === index ? value + guess : value)),
    results[index]! + guess,
  ])
  for (let pivot = 0; pivot < rows.length; pivot += 1) {
    for (let row = pivot + 1; row < rows.length; row += 1) {
      const share = rows[row]![pivot]! / rows[pivot]![pivot]!
      for (let column = pivot; column <= rows.length; column += 1) rows[row]![column]! -= share * rows[pivot]![column]!
    }
  }
  const factors = rows.map(() => 1)
  for (let row = rows.length - 1; row >= 0; row -= 1) {
    let value = rows[row]![rows.length]!
    for (let column = row + 1; column < rows.length; column += 1) value -= rows[row]![column]! * factors[column]!
    factors[row] = Math.min(MOST_FACTOR, Math.max(LEAST_FACTOR, value / rows[row]![row]!))
  }
  return factors
}
