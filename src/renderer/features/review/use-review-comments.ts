import { useEffect, useRef, type RefObject } from 'react'
import type { TrestleClient } from '../../../shared/contract'
import type { ReviewComment, ReviewSide } from '../../../shared/model/session/review'
import { pageDrafts } from '../../state/drafts/page-drafts'
import { showFailureToast, showToast } from '../../state/page/toasts-state'
import { focusUnlessMoved } from '../../ui/overlay/return-focus'
import { isSameComment, storedCommentDraft } from './comment-draft'
import type { CommentDraft } from './diff/review-rows'
import type { ScrollerHandle } from './diff/review-scroller'
import type { ReviewStore } from './review-store'
import { useStable } from './use-stable'

const draftId = (sessionId: string): string => `review ${sessionId}`

interface ReviewCommentsNeeds {
  client: TrestleClient
  review: ReviewStore
  scroller: RefObject<ScrollerHandle | null>
  /** Focuses the review again after the focused element was removed. */
  refocus: () => void
}

/**
 * Writing, editing and deleting comments on lines of a review. The draft outlives the page; each window has its own.
 */
export function useReviewComments({ client, review, scroller, refocus }: ReviewCommentsNeeds) {
  const { sessionId, scope } = review
  const draftOpened = useRef(false)
  useEffect(() => {
    const stored = storedCommentDraft(pageDrafts.findOne(draftId(sessionId), `trestle.review-draft.${sessionId}`))
    if (stored) review.setDraft(stored)
  }, [review, sessionId])

  const setDraft = (next: CommentDraft | undefined): void => {
    review.setDraft(next)
    pageDrafts.keep(draftId(sessionId), next ? JSON.stringify(next) : '')
  }
  /** Opens the form of a comment. The unsaved text of another one can be brought back. */
  const openDraft = (next: CommentDraft): void => {
    const { draft: before, marks } = review.store.getState()
    draftOpened.current = true
    setDraft(next)
    const text = before?.text.trim() ?? ''
    const saved = marks.comments.find(({ id }) => id === before?.id)?.text
    if (before && ![saved, next.text, ''].some((kept) => kept?.trim() === text))
      showToast('Unsaved comment discarded', { label: 'Undo', run: () => openDraft(before) })
  }
  /** Comments on a line, or extends the current draft to it. */
  const comment = (path: string, side: ReviewSide, line: number, extend: boolean): void => {
    const { draft } = review.store.getState()
    const isSame = extend && draft?.path === path && draft.side === side && draft.id === undefined
    if (isSame)
      setDraft({ ...draft, line: Math.min(draft.line, line), endLine: Math.max(draft.endLine, line), at: line })
    else
      openDraft({ path, side, line, endLine: line, at: line, text: draft?.id === undefined ? (draft?.text ?? '') : '' })
  }
  const putRemoved = async (id: string, isBack: boolean): Promise<void> => {
    await client.review.removeComment({ sessionId, id, undo: isBack })
    await review.reloadMarks()
  }
  const remove = async ({ id }: { id: string }): Promise<void> => {
    try {
      await putRemoved(id, false)
      showToast('Comment deleted', {
        label: 'Undo',
        run: () => void putRemoved(id, true).catch(showFailureToast),
      })
    } catch (error) {
      showFailureToast(error)
    }
  }
  const comments = useStable({
    edit: ({ id, path, side, line, endLine, text }: ReviewComment) =>
      openDraft({ id, path, side, line, endLine, at: endLine, text }),
    remove: (removed: { id: string }) => {
      void remove(removed)
      refocus()
    },
    change: (next: CommentDraft) => setDraft(next),
    isOpened: () => {
      const isOpened = draftOpened.current
      draftOpened.current = false
      return isOpened
    },
    save: async (written: CommentDraft) => {
      const { id, text, at: _at, ...place } = written
      try {
        if (id !== undefined) await client.review.changeComment({ sessionId, id, text })
        else await client.review.addComment({ sessionId, scope, text, ...place })
        // Another comment may have been started in the meantime.
        if (isSameComment(review.store.getState().draft, written)) setDraft(undefined)
        await review.reloadMarks()
        focusUnlessMoved(scroller.current, null)
      } catch (error) {
        showFailureToast(error)
      }
    },
    cancel: () => {
      setDraft(undefined)
      scroller.current?.focus()
    },
  })
  return { comments, comment, openDraft }
}
