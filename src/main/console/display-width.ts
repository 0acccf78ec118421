import { stripVTControlCharacters } from 'node:util'
import { clustersOf } from '../../shared/cut-text'
import { charWidth } from '../engine/task/output/char-width'

/** Characters that join several into one emoji: joiners, selectors, skin tones, regional indicators, keycaps. */
const JOINS = /\u200d|\ufe0f|\u20e3|\p{Regional_Indicator}|\p{Emoji_Modifier}/u
const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}{2}|[\d#*]\ufe0f?\u20e3/u

/** Width in columns of safe text without line feeds, styled or not. */
export function displayWidth(text: string): number {
  const plain = stripVTControlCharacters(text)
  let columns = 0
  // Finding clusters is slow, and makes no difference for text without such emoji.
  if (JOINS.test(plain)) for (const cluster of clustersOf(plain)) columns += clusterWidth(cluster)
  else for (const char of plain) columns += charWidth(char)
  return columns
}

/** Width in columns of one displayed character. An emoji takes two, however many characters it consists of. */
export function clusterWidth(cluster: string): number {
  if (JOINS.test(cluster) && EMOJI.test(cluster)) return 2
  let columns = 0
  for (const char of cluster) columns += charWidth(char)
  return columns
}

/** Pads text with spaces to this width. */
export function padToWidth(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - displayWidth(text)))
}

/** Truncates to this width, with an ellipsis. */
export function truncateToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text
  let kept = ''
  let used = 0
  for (const cluster of clustersOf(text)) {
    used += clusterWidth(cluster)
    if (used > columns - 1) break
    kept += cluster
  }
  return `${kept}…`
}

/** The end of the text, truncated to this width. */
export function lastColumns(text: string, columns: number): string {
  let kept = ''
  let used = 0
  for (const cluster of [...clustersOf(text)].toReversed()) {
    used += clusterWidth(cluster)
    if (used > columns) break
    kept = cluster + kept
  }
  return kept
}
