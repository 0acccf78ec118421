import { create } from 'zustand'
import type { TrestleClient } from '../../../shared/contract'
import type { UserPart } from '../../../shared/model/message'
import { showToast, showFailureToast } from '../page/toasts-state'

/** Where a session is asked to go back to: right before a message. */
export interface PendingRestore {
  sessionId: string
  to: number
  /** The message, without what a skill has put in. */
  parts: readonly UserPart[]
}

/** The restore whose preview is on screen. */
export const usePendingRestore = create<{ asked: PendingRestore | undefined }>()(() => ({ asked: undefined }))

/** A message that was taken back, on its way to where messages are written. */
export const useReturnedMessage = create<{ message: { sessionId: string; parts: readonly UserPart[] } | undefined }>()(
  () => ({
    message: undefined,
  }),
)

export function returnToComposer(message: { sessionId: string; parts: readonly UserPart[] } | undefined): void {
  useReturnedMessage.setState({ message })
}

export function requestRestore(asked: PendingRestore | undefined): void {
  usePendingRestore.setState({ asked })
}

/** Takes a restore back: all becomes as it was right before it. */
export async function undoRestore(
  client: TrestleClient,
  sessionId: string,
  restore: { seq: number; files: boolean; conversation: boolean },
): Promise<void> {
  const { seq, files, conversation } = restore
  try {
    const { kept } = await client.checkpoint.restore({ sessionId, to: seq - 1, files, conversation })
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
