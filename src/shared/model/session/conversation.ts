/** The position of a text in a row of the conversation. */
export type FoundPart = 'message' | 'answer' | 'thinking' | 'call' | 'result'

/** One row of the conversation that matches a search. */
export interface ConversationHit {
  /** `seq` of an event of the row: the row is loaded when the window reaches back to it. */
  seq: number
  /** The id of the row, as in `TranscriptItem`. */
  itemId: string
  /** The part of the row with the first match. */
  part: FoundPart
  /** How many matches the row has. */
  matches: number
}

/** All matches in one conversation. */
export interface ConversationMatches {
  /** Oldest first; the latest ones when there are too many. */
  hits: ConversationHit[]
  /** Number of rows that match, and of matches in them. */
  rows: number
  matches: number
}

/** The formats that a session can be exported in. */
export const EXPORT_FORMATS = ['markdown', 'html', 'json'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** A session as a file. */
export interface ExportedFile {
  /** A file name derived from the title. */
  name: string
  mediaType: string
  text: string
}

/** The result for sessions whose folder has moved. */
export interface RelinkResult {
  /** The real path of their current folder. */
  folder: string
  moved: number
  /** Sessions that could not be changed: they are running, or open in another process. */
  busy: number
}
