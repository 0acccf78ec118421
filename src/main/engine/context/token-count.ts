import type { Message, Usage } from '../../../shared/model/message'
import { noSize, plusSize, sentSize, totalOf, type Size } from './estimate'
import type { LearnedSizes } from './learned-sizes'

/** A count below this share of the guess is not believed: some servers report none, or only what was not cached. */
const LEAST_SHARE = 0.25

/** What a provider has counted: the request with the first `messages` of a history, and the answer to it. */
export interface CountedRequest {
  messages: number
  usage: Usage
}

/** Knows how many tokens a history takes that grows, and what its parts take. */
export interface TokenCount {
  /** Tokens of the history with all that is sent along: what the provider has counted, and an estimate of what came after. */
  used(): number
  /** Estimated tokens of a message of this history. */
  tokensOf(message: Message): number
  /** The provider's count for the request before the last message, which is its answer. */
  counted(usage: Usage): void
  /** The provider has counted the history as it is, without answering. */
  measured(tokens: number): void
  /** Messages were exchanged for shorter ones: what was counted before was counted for another history. */
  replaced(): void
  /** The history is another one. */
  restart(): void
}

export interface TokenCountDeps {
  history: readonly Message[]
  /** Guessed tokens of instructions and tools, as they are now. */
  fixed(): number
  sizes: LearnedSizes
  /** The latest count that is still of this history. */
  known?: CountedRequest
  /** The model gets back no thinking whose beginning has changed. */
  bindsThinking?: boolean
}

/** Counts a history; each message is looked at once. A provider's count is only used for the history it was made of; any other is estimated. */
export function createTokenCount({ history, fixed, sizes, known, bindsThinking = false }: TokenCountDeps): TokenCount {
  const sizeOf = (message: Message): Size => sentSize(message, bindsThinking)
  /** The guess for the first `seen` messages. */
  let seen = 0
  let size: Size = noSize()
  /** What was counted, and the guess for the same. */
  let anchor: { tokens: number; size: Size } | undefined
  /** The latest count of a request, with its size: what came between two of them teaches most. */
  let latest: { input: number; size: Size } | undefined
  /** How much more the provider has counted than what was estimated, before the history was shortened. */
  let scale = 1

  const look = (end = history.length): Size => {
    for (; seen < end; seen += 1) size = plusSize(size, sizeOf(history[seen]!))
    return size
  }
  const withHead = (of: Size): Size => ({ ...of, head: fixed() })
  const estimate = (): number => sizes.tokens(withHead(look())) * scale
  const used = (): number => {
    if (!anchor) return estimate()
    const since = plusSize(withHead(look()), anchor.size, -1)
    return anchor.tokens + sizes.tokens(since)
  }

  const set = (usage: Usage, request: Size, answer: Message | undefined): void => {
    const { input, output } = usage
    if (!isBelieved(input, request)) return
    if (latest) sizes.learn(plusSize(request, latest.size, -1), input - latest.input)
    else sizes.learn(request, input)
    latest = { input, size: request }
    anchor = answer ? { tokens: input + output, size: plusSize(request, sizeOf(answer)) } : { tokens: input, size: request }
    scale = 1
  }
  if (known) {
    const request = withHead(look(known.messages))
    const next = history[known.messages]
    // It was learned from before.
    if (isBelieved(known.usage.input, request)) {
      latest = { input: known.usage.input, size: request }
      const answer = next?.role === 'assistant' ? next : undefined
      anchor = { tokens: known.usage.input + (answer ? known.usage.output : 0), size: answer ? plusSize(request, sizeOf(answer)) : request }
    }
  }
  const forget = (): void => {
    seen = 0
    size = noSize()
    anchor = undefined
    latest = undefined
  }
  return {
    used,
    tokensOf: (message) => sizes.tokens(sizeOf(message)) * (anchor ? 1 : scale),
    counted(usage) {
      const answer = history.at(-1)
      const whole = withHead(look())
      set(usage, answer ? plusSize(whole, sizeOf(answer), -1) : whole, answer)
    },
    measured(tokens) {
      set({ input: tokens, output: 0, cached: 0, thinking: 0 }, withHead(look()), undefined)
    },
    replaced() {
      const before = used()
      const guess = sizes.tokens(withHead(size))
      forget()
      // The messages that stay are of the same kinds as those that were counted.
      scale = guess > 0 ? before / guess : 1
    },
    restart() {
      forget()
      scale = 1
    },
  }
}

function isBelieved(tokens: number, of: Size): boolean {
  return tokens >= totalOf(of) * LEAST_SHARE
}
