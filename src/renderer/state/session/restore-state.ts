import { create } from 'zustand'
import type { TrestleClient } from '../../../shared/contract'
import type { UserPart } from '../../../shared/model/turn/message'
import { showToast, showFailureToast } from '../page/toasts-state'

/** A requested restore of a session: to right before a message. */
export interface PendingRestore {
  sessionId: string
  to: number
  /** The parts of the message, without the instructions that a skill added. */
  parts: readonly UserPart[]
}

/** The restore whose preview is on screen. */
export const usePendingRestore = create<{ asked: PendingRestore | undefined }>()(() => ({ asked: undefined }))

/** A message that is put back into the composer: a restore removed it, or it could not be sent. */
interface ReturnedMessage {
  sessionId: string
  parts: readonly UserPart[]
  /** Its files that could not be stored with the session. */
  files?: readonly File[]
}

/** The message to be put back into the composer of its session. */
export const useReturnedMessage = create<{ message: ReturnedMessage | undefined }>()(() => ({ message: undefined }))

export function returnToComposer(message: ReturnedMessage | undefined): void {
  useReturnedMessage.setState({ message })
}

export function requestRestore(asked: PendingRestore | undefined): void {
  usePendingRestore.setState({ asked })
}

/** Undoes a restore: everything returns to the state right before it. */
export async function undoRestore(
  client: TrestleClient,
  sessionId: string,
  restore: { seq: number; files: boolean; conversation: boolean; paths?: readonly string[] },
): Promise<void> {
  const { seq, files, conversation, paths } = restore
  try {
    const { kept } = await client.checkpoint.restore({
      sessionId,
      to: seq - 1,
      files,
      conversation,
      ...(paths && { paths: [...paths] }),
    })
    showToast(
      kept.length === 0
        ? 'Undone'
        : kept.length === 1
          ? 'Undone, except one file'
          : `Undone, except ${kept.length} files`,
    )
  } catch (error) {
    showFailureToast(error)
  }
}
