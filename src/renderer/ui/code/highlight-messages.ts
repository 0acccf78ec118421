import type { CodeToken } from './code-lines'

/** A message from the page to the worker about a block of code. */
export type HighlightRequest =
  | {
      id: number
      /** Version of the requested lines; a new version starts over. */
      version: number
      language: string
      /** How many of the worker's lines to keep; `lines` follow them. */
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
