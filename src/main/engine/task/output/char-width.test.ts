import { expect, test } from 'vitest'
import { charWidth } from './char-width'

test.each([
  ['letters and frames of tables', 'aßéЖΩ│─█', 1],
  ['Chinese, Japanese and Korean', '世界かなカ한글ㄅ，Ａ〈', 2],
  ['emoji, also of the older blocks', '😀👋🚀✅❌⚡⏰⭐🟢🫠', 2],
  ['signs that are emoji only with a variation selector', '❤☀✔🌡', 1],
  ['the letters of a flag', '🇩🇪', 1],
  ['marks that join the letter before', '\u0301\u0483\u05b0\u064b\u0e31\u094d\u20dd\ufe0f\u{e0100}', 0],
  ['invisible characters', '\u200b\u200d\u2060\ufeff', 0],
  ['halfwidth forms', 'ｱﾝ', 1],
])('%s', (_what, text, width) => {
  for (const char of text) expect([char, charWidth(char)]).toEqual([char, width])
})
