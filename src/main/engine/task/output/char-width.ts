/** Combining marks and characters that are not shown; the vowels and final consonants of Hangul join the syllable. */
const ZERO = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff\ud7b0-\ud7fb]$/u
/** What Unicode calls wide or fullwidth (East Asian Width), except emoji. */
const WIDE =
  /^[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3040-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{1b2ff}\u{1d300}-\u{1d376}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]$/u
const EMOJI = /^\p{Emoji_Presentation}$/u

/**
 * Columns a character takes in terminals that look at one character at a time. Some terminals draw emoji made of
 * several characters narrower.
 */
export function charWidth(char: string): 0 | 1 | 2 {
  const code = char.codePointAt(0)!
  // Latin, Greek and Cyrillic letters, and box-drawing characters: most of what is printed.
  if (code < 0x300 || (code >= 0x370 && code <= 0x482) || (code >= 0x2500 && code <= 0x25fc)) return 1
  if (ZERO.test(char)) return 0
  if (WIDE.test(char)) return 2
  // A flag is two letters of one column each.
  const isFlagLetter = code >= 0x1f1e6 && code <= 0x1f1ff
  return EMOJI.test(char) && !isFlagLetter ? 2 : 1
}
