import { create } from 'zustand'

/** What the open find bar looks for; the transcript highlights it. */
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

/** Parts of the page that have a search of their own, or none: the browser's find works there. */
const OTHERS = '[data-find-field], [data-own-find], .xterm, .cm-editor, [role=dialog]'

/** Whether Ctrl F at this element means the conversation. In the field of the find bar it means the browser's find. */
export function isFindInConversation(target: EventTarget | null): boolean {
  return !(target instanceof Element) || target.closest(OTHERS) === null
}
