import { create } from 'zustand'
import { browserStorage } from '../../../state/page/browser-storage'

/** What is written for the next commit. */
interface CommitText {
  message: string
  /** The last commit is replaced. */
  amend: boolean
  /** The message of the last commit that was put into the empty field to be amended. */
  last?: string
}

const keyOf = (sessionId: string): string => `trestle.commit.${sessionId}`

/** By session: it outlives the pane. The message also outlives the page, unless it is the one of the last commit. */
const useTexts = create<Record<string, CommitText>>()(() => ({}))

export function useCommitText(sessionId: string): CommitText {
  useTexts((texts) => texts[sessionId])
  return commitText(sessionId)
}

export function commitText(sessionId: string): CommitText {
  return useTexts.getState()[sessionId] ?? { message: browserStorage.read(keyOf(sessionId)) ?? '', amend: false }
}

export function writeCommit(sessionId: string, message: string): void {
  keep(sessionId, { ...commitText(sessionId), message })
}

/**
 * Switches between a new commit and replacing the last one. `last`: the message of the last commit, which fills an
 * empty field if it is still to be amended. It goes again with the switch, unless it was edited.
 */
export function switchAmend(sessionId: string, amend: boolean, last?: string): void {
  const now = commitText(sessionId)
  if (last !== undefined) {
    if (now.amend && now.message.trim() === '') keep(sessionId, { message: last, amend, last })
    return
  }
  const isUnchanged = !amend && now.last !== undefined && now.message === now.last
  keep(sessionId, { message: isUnchanged ? '' : now.message, amend })
}

function keep(sessionId: string, text: CommitText): void {
  const isOwn = text.message !== '' && text.message !== text.last
  browserStorage.write(keyOf(sessionId), isOwn ? text.message : undefined)
  useTexts.setState({ [sessionId]: text })
}
