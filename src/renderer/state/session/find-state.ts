import { create } from 'zustand'

/** The query of the open find bar; the transcript highlights its matches. */
interface FindMarks {
  sessionId: string | undefined
  query: string
  matchCase: boolean
  /** The row of the current match. */
  itemId: string | undefined
}

const NONE: FindMarks = { sessionId: undefined, query: '', matchCase: false, itemId: undefined }

export const useFindMarks = create<FindMarks>()(() => NONE)

/** Highlights matches in the transcript of the session; undefined: nothing. */
export function showFindMarks(marks: FindMarks | undefined): void {
  useFindMarks.setState(marks ?? NONE)
}

/** Parts of the page with their own search, or in which Ctrl+F is left to the browser. */
const OTHERS = '[data-find-field], [data-own-find], .xterm, .cm-editor, [role=dialog]'

/** Whether Ctrl+F at this element means the conversation. In the field of the find bar it means the browser's find. */
export function isFindInConversation(target: EventTarget | null): boolean {
  return !(target instanceof Element) || target.closest(OTHERS) === null
}
