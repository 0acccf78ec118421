import { create } from 'zustand'
import type { WindowDrafts } from '../../../state/drafts/window-drafts'

/** The message typed for the next commit. */
interface CommitText {
  message: string
  /** Whether to replace the last commit. */
  amend: boolean
  /** The message of the last commit that was put into the empty field to be amended. */
  last?: string
}

/**
 * The messages of one window, by session: two windows that commit for the same session each keep their own draft.
 * Drafts outlive the pane. They also outlive the page, except an unchanged message of the last commit.
 */
export class CommitTexts {
  readonly #drafts: Pick<WindowDrafts, 'find' | 'keep'>
  readonly #texts = create<Record<string, CommitText>>()(() => ({}))
  /** The stored text at the first read: later changes of another window are not adopted. */
  readonly #found = new Map<string, CommitText>()

  constructor(drafts: Pick<WindowDrafts, 'find' | 'keep'>) {
    this.#drafts = drafts
  }

  use(sessionId: string): CommitText {
    this.#texts((texts) => texts[sessionId])
    return this.of(sessionId)
  }

  of(sessionId: string): CommitText {
    return this.#texts.getState()[sessionId] ?? this.#found.get(sessionId) ?? this.#find(sessionId)
  }

  write(sessionId: string, message: string): void {
    this.#keep(sessionId, { ...this.of(sessionId), message })
  }

  /**
   * Switches between a new commit and replacing the last one. `last`: the message of the last commit, which fills an
   * empty field if it is still to be amended. Switching back removes it, unless it was edited.
   */
  switchAmend(sessionId: string, amend: boolean, last?: string): void {
    const now = this.of(sessionId)
    if (last !== undefined) {
      if (now.amend && now.message.trim() === '') this.#keep(sessionId, { message: last, amend, last })
      return
    }
    const isUnchanged = !amend && now.last !== undefined && now.message === now.last
    this.#keep(sessionId, { message: isUnchanged ? '' : now.message, amend })
  }

  #find(sessionId: string): CommitText {
    const text = { message: this.#drafts.find(draftId(sessionId), `trestle.commit.${sessionId}`), amend: false }
    this.#found.set(sessionId, text)
    return text
  }

  #keep(sessionId: string, text: CommitText): void {
    this.#drafts.keep(draftId(sessionId), text.message === text.last ? '' : text.message)
    this.#texts.setState({ [sessionId]: text })
  }
}

const draftId = (sessionId: string): string => `commit ${sessionId}`
