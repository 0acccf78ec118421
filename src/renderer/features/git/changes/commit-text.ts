import { create } from 'zustand'
import type { WindowDrafts } from '../../../state/drafts/window-drafts'

/** What is written for the next commit. */
interface CommitText {
  message: string
  /** The last commit is replaced. */
  amend: boolean
  /** The message of the last commit that was put into the empty field to be amended. */
  last?: string
}

/**
 * The messages of one window, by session: two windows that commit for one session keep a draft each. It outlives the
 * pane. The message also outlives the page, unless it is the one of the last commit.
 */
export class CommitTexts {
  readonly #drafts: Pick<WindowDrafts, 'find' | 'keep'>
  readonly #texts = create<Record<string, CommitText>>()(() => ({}))
  /** What was stored when it was first looked at: what another window writes later is not taken over. */
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
   * empty field if it is still to be amended. It goes again with the switch, unless it was edited.
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
