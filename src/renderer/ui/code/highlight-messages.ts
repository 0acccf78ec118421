import type { CodeToken } from './code-lines'

/** What the page tells the worker about a block of code. */
export type HighlightRequest =
  | {
      id: number
      /** Of the lines that were asked for; with another one it starts over. */
      version: number
      language: string
      /** How many of the lines that the worker has stay; `lines` follow them. */
      kept: number
      lines: readonly string[]
      /** Highlights up to this line. */
      until: number
    }
  | { id: number; forget: true }

/** The next highlighted lines of a block. */
export interface HighlightReply {
  id: number
  version: number
  from: number
  tokens: CodeToken[][]
}
