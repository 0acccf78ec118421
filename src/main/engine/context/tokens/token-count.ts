import type { Message, Usage } from '../../../../shared/model/turn/message'
import { emptySize, addSizes, sentSize, totalOf, type ContentSize, type SentTo } from './token-estimate'
import { IMAGE_TOKEN_FORMULAS, type ImageTokenFormula } from './image-tokens'

/** A count below this share of the estimate is ignored: some servers report 0, or only uncached tokens. */
const MIN_SHARE = 0.25

/** A provider's count of the request with the first `messages` of a history, and of its answer. */
export interface CountedRequest {
  messages: number
  usage: Usage
}

/** Counts the tokens of a growing history and of its messages. */
export interface TokenCount {
  /**
   * Tokens of the whole request: the provider's count, plus an estimate of everything after it.
   */
  used(): number
  /** The same with the estimated part multiplied by `margin`. */
  atMost(margin: number): number
  /** Whether the history has pictures or documents. */
  hasMedia(): boolean
  /** Estimated tokens of a message of this history. */
  tokensOf(message: Message): number
  /** The provider's count for the request before the last message, which is its answer. */
  counted(usage: Usage): void
  /** The provider has counted the current history without answering. */
  measured(tokens: number): void
  /** Messages were replaced by shorter ones, so earlier counts are for a different history. */
  replaced(): void
  /** The history was replaced. */
  restart(): void
}

export interface TokenCountDeps {
  history: readonly Message[]
  /** Estimated tokens of the current instructions and tools. */
  fixed(): number
  sizes: TokenCalibration
  /** The latest count that is still valid for this history. */
  known?: CountedRequest
  /** The model that gets the history. */
  to?: SentTo
}

/**
 * Counts a history; each message is measured once. A provider's count is used only for the history it was made for;
 * everything else is estimated.
 */
export function createTokenCount({ history, fixed, sizes, known, to = {} }: TokenCountDeps): TokenCount {
  const sizeOf = (message: Message): ContentSize => sentSize(message, to)
  /** The estimate for the first `seen` messages. */
  let seen = 0
  let size: ContentSize = emptySize()
  /** The latest count, and the estimate for the same content. */
  let anchor: { tokens: number; size: ContentSize } | undefined
  /** The latest count of a request, with its size: the difference between two is the best sample. */
  let latest: { input: number; size: ContentSize } | undefined
  /** Ratio of the provider's count to the estimate before the history was shortened. */
  let scale = 1

  const look = (end = history.length): ContentSize => {
    for (; seen < end; seen += 1) size = addSizes(size, sizeOf(history[seen]!))
    return size
  }
  const withHead = (of: ContentSize): ContentSize => ({ ...of, head: fixed() })
  const estimate = (): number => sizes.tokens(withHead(look())) * scale
  const atMost = (margin: number): number => {
    if (!anchor) return estimate() * margin
    const since = addSizes(withHead(look()), anchor.size, -1)
    return anchor.tokens + sizes.tokens(since) * margin
  }
  const used = (): number => atMost(1)

  const set = (usage: Usage, request: ContentSize, answer: Message | undefined): void => {
    const { input, output } = usage
    if (!isBelieved(input, request)) return
    if (latest) sizes.learn(addSizes(request, latest.size, -1), input - latest.input)
    else sizes.learn(request, input)
    latest = { input, size: request }
    anchor = answer
      ? { tokens: input + output, size: addSizes(request, sizeOf(answer)) }
      : { tokens: input, size: request }
    scale = 1
  }
  if (known) {
    const request = withHead(look(known.messages))
    const next = history[known.messages]
    // The calibration has already learned from it.
    if (isBelieved(known.usage.input, request)) {
      latest = { input: known.usage.input, size: request }
      const answer = next?.role === 'assistant' ? next : undefined
      anchor = {
        tokens: known.usage.input + (answer ? known.usage.output : 0),
        size: answer ? addSizes(request, sizeOf(answer)) : request,
      }
    }
  }
  const forget = (): void => {
    seen = 0
    size = emptySize()
    anchor = undefined
    latest = undefined
  }
  return {
    used,
    atMost,
    hasMedia: () => look().media > 0,
    tokensOf: (message) => sizes.tokens(sizeOf(message)) * (anchor ? 1 : scale),
    counted(usage) {
      const answer = history.at(-1)
      const whole = withHead(look())
      set(usage, answer ? addSizes(whole, sizeOf(answer), -1) : whole, answer)
    },
    measured(tokens) {
      set({ input: tokens, output: 0, cached: 0, thinking: 0 }, withHead(look()), undefined)
    },
    replaced() {
      const before = used()
      const guess = sizes.tokens(withHead(size))
      forget()
      // The remaining messages are of the same kinds as those that were counted.
      scale = guess > 0 ? before / guess : 1
    },
    restart() {
      forget()
      scale = 1
    },
  }
}

function isBelieved(tokens: number, of: ContentSize): boolean {
  return tokens >= totalOf(of) * MIN_SHARE
}

/** The kinds whose measure is learned; pictures are counted by a formula. */
const KINDS = ['plain', 'wide', 'dense', 'head'] as const

/** Weight of the prior estimate, in tokens; it fades as counts of a kind accumulate. */
const TOKENS_OF_GUESS = 800
/** Earlier counts lose weight with each request, because a model may be replaced under the same name. */
const FADING = 0.995
/** Counts of fewer tokens than this are mostly what the provider adds itself. */
const MIN_SAMPLE = 50
/** Weight of the latest error in the average. */
const SHARE_OF_LATEST_ERROR = 0.15
/** No tokenizer differs more from the estimate; counts beyond this are of something else. */
const [MIN_FACTOR, MAX_FACTOR] = [0.15, 4]

/** What is known about a model's tokenizer: how many tokens each kind of content has. */
export interface TokenCalibration {
  /** Tokens of content of this size. */
  tokens(size: ContentSize): number
  /** The provider has counted this many tokens for content of this size. */
  learn(size: ContentSize, counted: number): void
  /** Whether anything was learned yet. */
  hasLearned(): boolean
  /** Average relative error of estimates that were later counted. */
  error(): number
}

/**
 * Finds one factor per kind that fits the estimates to the counts with the least squared error; kinds not seen keep the
 * estimate. So Chinese text is not measured by what was learned from code. `formula`: how pictures are counted; by
 * default the formula with the highest count.
 */
export function createTokenCalibration(formula?: ImageTokenFormula): TokenCalibration {
  const media = (size: ContentSize): number =>
    formula === undefined ? size.media : size.byVendor[IMAGE_TOKEN_FORMULAS.indexOf(formula)]!
  const products = KINDS.map(() => KINDS.map(() => 0))
  const results = KINDS.map(() => 0)
  let factors: number[] = KINDS.map(() => 1)
  let samples = 0
  let error = 0
  const tokens = (size: ContentSize): number =>
    KINDS.reduce((sum, kind, index) => sum + size[kind] * factors[index]!, media(size))
  return {
    tokens,
    learn(size, counted) {
      const guess = totalOf({ ...emptySize(), ...size, media: 0 })
      const own = counted - media(size)
      if (guess < MIN_SAMPLE || own < guess * MIN_FACTOR || own > guess * MAX_FACTOR) return
      // The first request is mostly instructions and tools, which no trim leaves out.
      if (samples > 0) error += (Math.abs(tokens(size) - counted) / counted - error) * SHARE_OF_LATEST_ERROR
      samples += 1
      // A request of 100,000 tokens is not a hundred times as reliable as one of 1,000.
      const weight = 1 / Math.max(1, guess / 4000)
      for (const [row, one] of KINDS.entries()) {
        results[row] = results[row]! * FADING + size[one] * own * weight
        for (const [column, other] of KINDS.entries())
          products[row]![column] = products[row]![column]! * FADING + size[one] * size[other] * weight
      }
      factors = solved(products, results)
    },
    hasLearned: () => samples > 0,
    error: () => error,
  }
}

/** The factors with the least error, kept near 1 by the prior. */
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
    factors[row] = Math.min(MAX_FACTOR, Math.max(MIN_FACTOR, value / rows[row]![row]!))
  }
  return factors
}
