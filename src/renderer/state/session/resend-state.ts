import { create } from 'zustand'
import type { TrestleClient } from '../../../shared/contract'
import { isUserProvided, withoutDerivedMedia, type UserPart } from '../../../shared/model/turn/message'
import { useLayout } from '../page/layout-state'
import { showFailureToast, showToast } from '../page/toasts-state'
import { returnToComposer } from './restore-state'
import { transcriptOf } from './session-view'

/** A message to send again from its position in the conversation. */
export interface PendingResend {
  sessionId: string
  /** The event right before the message. */
  to: number
  parts: readonly UserPart[]
  /** `edit`: the user edits the text; `retry`: the same message. */
  kind: 'edit' | 'retry'
  /** Id of the model to use; default: the session's. */
  model?: string
}

/** The message whose dialog is on screen. */
export const usePendingResend = create<{ asked: PendingResend | undefined }>()(() => ({ asked: undefined }))

export function requestResend(asked: PendingResend | undefined): void {
  usePendingResend.setState({ asked })
}

/** How a message is sent again. */
interface Resend extends Pick<PendingResend, 'sessionId' | 'to' | 'parts' | 'model'> {
  /** `here`: removes everything after the message; `fork`: starts a new session with the conversation before it. */
  where: 'here' | 'fork'
  /** Whether to restore the files to their state before the message. */
  files: boolean
  overwrite?: readonly string[]
}

/** The parts that the user wrote, as they can be sent. */
function sendableParts(parts: readonly UserPart[]): UserPart[] {
  return parts
    .filter(isUserProvided)
    .map((part) => (part.type === 'media' ? withoutDerivedMedia(part) : { type: 'text', text: part.text }))
}

/**
 * Sends the message again. Rejects if the conversation could not be prepared for it, which then stays as it is. If only
 * sending fails, shows why, and puts the message into the composer.
 */
export async function resend(client: TrestleClient, asked: Resend): Promise<void> {
  const { to, model, where } = asked
  const sessionId =
    where === 'fork' ? (await client.session.fork({ sessionId: asked.sessionId, to })).sessionId : asked.sessionId
  if (where === 'here') {
    await client.session.stop({ sessionId })
    const { files, overwrite = [] } = asked
    const { kept } = await client.checkpoint.restore({
      sessionId,
      to,
      files,
      conversation: true,
      overwrite: [...overwrite],
    })
    if (kept.length > 0)
      showToast(kept.length === 1 ? 'One file was not restored' : `${kept.length} files were not restored`)
  } else useLayout.getState().openSession(sessionId)
  const parts = sendableParts(asked.parts)
  try {
    if (model !== undefined) await client.session.change({ sessionId, model })
    await client.session.prompt({ sessionId, parts })
    transcriptOf(sessionId)?.toEnd()
  } catch (error) {
    returnToComposer({ sessionId, parts })
    showFailureToast(error)
  }
}

/**
 * Asks the model again, possibly another one. If files have changed since the message, a dialog asks what to do with
 * them.
 */
export async function retry(client: TrestleClient, asked: Omit<PendingResend, 'kind'>): Promise<void> {
  try {
    const { sessionId, to } = asked
    const { steps, kept } = await client.checkpoint.preview({ sessionId, to, files: true, conversation: true })
    if (steps.length + kept.length > 0) return requestResend({ ...asked, kind: 'retry' })
    await resend(client, { ...asked, where: 'here', files: false })
  } catch (error) {
    showFailureToast(error)
  }
}
