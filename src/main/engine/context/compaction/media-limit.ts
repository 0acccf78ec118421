import type { Message } from '../../../../shared/model/turn/message'
import { modelFamily } from '../../model/thinking'
import { tokensOf } from '../tokens/token-estimate'
import type { TrimPlan } from './trim'

/** The pictures and documents in a conversation. */
export interface MediaLoad {
  /** Characters of base64. */
  chars: number
  images: number
  pages: number
}

/** Anthropic's servers refuse a request of more than 32 MB; others take at least as much. */
const MAX_CHARS = 26_000_000
/** Maximum pictures and pages in a request to Claude, for a window of up to 200,000 tokens and for a larger one. */
const [CLAUDE_IMAGES, CLAUDE_PAGES] = [95, 100]
const [LARGE_CLAUDE_IMAGES, LARGE_CLAUDE_PAGES] = [580, 600]
const LARGE_WINDOW = 200_000
/** A trim leaves this share of the limit. */
const TARGET_SHARE = 0.6

const NONE: MediaLoad = { chars: 0, images: 0, pages: 0 }
/** Cached loads of messages with media. */
const loads = new WeakMap<Message, MediaLoad>()

/** Limits for a request to a model, independent of its window. */
export function mediaLimit(model: string, window: number): MediaLoad {
  if (modelFamily(model) !== 'claude')
    return { chars: MAX_CHARS, images: Number.POSITIVE_INFINITY, pages: Number.POSITIVE_INFINITY }
  return window > LARGE_WINDOW
    ? { chars: MAX_CHARS, images: LARGE_CLAUDE_IMAGES, pages: LARGE_CLAUDE_PAGES }
    : { chars: MAX_CHARS, images: CLAUDE_IMAGES, pages: CLAUDE_PAGES }
}

export function mediaLoad(history: readonly Message[]): MediaLoad {
  let sum = NONE
  for (const message of history) sum = added(sum, loadOf(message), 1)
  return sum
}

export function exceeds(load: MediaLoad, limit: MediaLoad, share = 1): boolean {
  return load.chars > limit.chars * share || load.images > limit.images * share || load.pages > limit.pages * share
}

/** Chooses the results with media to leave out, oldest first, so that the rest is well within the limit. */
export function planTrimMedia(
  history: readonly Message[],
  limit: MediaLoad,
  measure: (message: Message) => number = tokensOf,
): TrimPlan {
  const plan: TrimPlan = { results: [], calls: [], cuts: [], saved: 0 }
  let left = mediaLoad(history)
  // The newest result with media is what the next request is about.
  const candidates = history.filter((message) => message.role === 'tool' && loadOf(message) !== NONE).slice(0, -1)
  for (const message of candidates) {
    if (!exceeds(left, limit, TARGET_SHARE)) break
    if (message.role !== 'tool') continue
    left = added(left, loadOf(message), -1)
    plan.results.push(message.callId)
    plan.saved += measure(message)
  }
  return plan
}

function loadOf(message: Message): MediaLoad {
  const parts = message.role === 'tool' ? message.content : message.parts
  if (!parts.some(({ type }) => type === 'media')) return NONE
  let load = loads.get(message)
  if (load) return load
  load = NONE
  for (const part of parts) {
    if (part.type !== 'media') continue
    const { data, pages } = part
    load = added(load, { chars: data.length, images: pages === undefined ? 1 : 0, pages: pages ?? 0 }, 1)
  }
  loads.set(message, load)
  return load
}

function added(one: MediaLoad, other: MediaLoad, times: 1 | -1): MediaLoad {
  if (other === NONE) return one
  return {
    chars: one.chars + other.chars * times,
    images: one.images + other.images * times,
    pages: one.pages + other.pages * times,
  }
}
