/** A card takes no answer before it has been on screen this long, nor so soon after another keystroke. In ms. */
export const GRACE_MS = 600

/** A key press as the rules need it. */
export interface CardKey {
  key: string
  at: number
  repeat: boolean
  modified: boolean
  composing: boolean
  /** Where it was typed: a text field with something in it, an empty one, a dialog or menu, or anywhere else. */
  where: 'text' | 'empty-text' | 'overlay' | 'elsewhere'
}

/**
 * Which of the card's keys is pressed and meant for it, or undefined. Somebody who is typing when a card appears means the text: so neither
 * a key soon after the card came up, nor one soon after another key, nor one in a field with text answers anything.
 */
export function answerKey(press: CardKey, card: { shownAt: number; lastKeyAt: number; keys: readonly string[] }): string | undefined {
  if (press.repeat || press.modified || press.composing) return undefined
  if (press.where === 'text' || press.where === 'overlay') return undefined
  if (!card.keys.includes(press.key)) return undefined
  if (press.at - card.shownAt < GRACE_MS || press.at - card.lastKeyAt < GRACE_MS) return undefined
  return press.key
}
