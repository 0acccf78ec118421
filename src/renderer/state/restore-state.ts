import { create } from 'zustand'
import type { TrestleClient } from '../../shared/contract'
import type { UserPart } from '../../shared/model/message'
import { tell, tellFailure } from './toasts-state'

/** Where a session is asked to go back to: right before a message. */
export interface AskedRestore {
  sessionId: string
  to: number
  /** The message, without what a skill has put in. */
  parts: readonly UserPart[]
}

/** The restore whose preview is on screen. */
export const useAskedRestore = create<{ asked: AskedRestore | undefined }>()(() => ({ asked: undefined }))

/** A message that was taken back, on its way to where messages are written. */
export const useGivenBack = create<{ message: { sessionId: string; parts: readonly UserPart[] } | undefined }>()(() => ({
  message: undefined,
}))

export function giveBack(message: { sessionId: string; parts: readonly UserPart[] } | undefined): void {
  useGivenBack.setState({ message })
}

export function askRestore(asked: AskedRestore | undefined): void {
  useAskedRestore.setState({ asked })
}

/** Takes a restore back: all becomes as it was right before it. */
export async function takeBack(
  client: TrestleClient,
  sessionId: string,
  restore: { seq: number; files: boolean; conversation: boolean },
): Promise<void> {
  const { seq, files, conversation } = restore
  try {
    const { kept } = await client.checkpoint.restore({ sessionId, to: seq - 1, files, conversation })
    tell(kept.length === 0 ? 'Undone' : kept.length === 1 ? 'Undone, except one file' : `Undone, except ${kept.length} files`)
  } catch (error) {
    tellFailure(error)
  }
}
