import type { Message, UserPart } from '../../../../shared/model/message'
import { partsTokens, textTokens } from '../estimate'

/** Of the tokens for the user's words, this share is for the first ones: what the whole was about. */
const SHARE_OF_FIRST = 0.1
const ELIDED = '[… the middle of this message was left out …]'

export interface KeptWords {
  /** Oldest first. */
  kept: UserPart[][]
  /** How many messages were left out or shortened. */
  lost: number
}

/** The user's own messages of a history, within `budget` tokens: the newest, and the beginning of the first; the middle is left out and said so. */
export function keptWords(history: readonly Message[], budget: number): KeptWords {
  const words = history.flatMap((message) => (message.role === 'user' && message.by === undefined ? [plain(message.parts)] : []))
  const [first, ...rest] = words
  if (!first) return { kept: [], lost: 0 }
  if (words.reduce((sum, parts) => sum + partsTokens(parts), 0) <= budget) return { kept: words, lost: 0 }
  const head = shortened(first, rest.length === 0 ? budget : budget * SHARE_OF_FIRST)
  let left = budget - partsTokens(head)
  const newest: UserPart[][] = []
  let lost = head === first ? 0 : 1
  for (const parts of rest.toReversed()) {
    const size = partsTokens(parts)
    if (size > left && newest.length > 0) break
    const kept = size > left ? shortened(parts, left) : parts
    if (kept !== parts) lost += 1
    newest.unshift(kept)
    left -= partsTokens(kept)
  }
  const between = rest.length - newest.length
  if (between === 0) return { kept: [head, ...newest], lost }
  const note: UserPart[] = [{ type: 'text', text: `[${between} ${between === 1 ? 'message' : 'messages'} of the user left out here]` }]
  return { kept: [head, note, ...newest], lost: lost + between }
}

/** Text only: pictures are named, and of a skill that was put in only its name stays. */
function plain(parts: readonly UserPart[]): UserPart[] {
  return parts.map((part) => {
    if (part.attached)
      return { type: 'text', text: `[the ${part.attached.kind} ${part.attached.name} of ${part.attached.server} was here]` }
    if (part.type === 'media') return { type: 'text', text: `[a picture was here${part.name === undefined ? '' : `: ${part.name}`}]` }
    return part.skill === undefined ? part : { type: 'text', text: `[the skill ${part.skill} was loaded here]` }
  })
}

function shortened(parts: UserPart[], tokens: number): UserPart[] {
  if (partsTokens(parts) <= tokens) return parts
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
  // Counted in characters: text beyond ASCII has fewer of them for the same tokens.
  const chars = (text.length * tokens) / Math.max(1, textTokens(text))
  const half = Math.max(0, Math.floor((chars - ELIDED.length) / 2))
  return [{ type: 'text', text: `${text.slice(0, half)}\n${ELIDED}\n${text.slice(text.length - half)}`.toWellFormed() }]
}
