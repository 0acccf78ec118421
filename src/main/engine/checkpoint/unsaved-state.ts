import type { FileState } from '../../../shared/model/checkpoint'
import { FileProblem } from '../workspace/file-problem'
import type { FileAccess } from '../workspace/file-access'
import { loadHeld } from '../workspace/unsaved-text'
import type { BlobStore } from './blob-store'

const USUAL_MODE = 0o644

/** What an editor has of a file and has not saved, kept: going back must not lose it. Undefined when the disk has it all. Throws when it cannot be kept. */
export async function unsavedState(
  editor: FileAccess | undefined,
  path: string,
  disk: FileState,
  blobs: BlobStore,
  signal?: AbortSignal,
): Promise<FileState | undefined> {
  if (!editor?.read || (disk.kind !== 'file' && disk.kind !== 'absent')) return undefined
  const held = await loadHeld(editor, path, path, signal).catch((error: unknown) => {
    if (error instanceof FileProblem) return undefined
    throw error
  })
  if (!held?.unsaved || !held.bytes) return undefined
  return { kind: 'file', hash: blobs.put(held.bytes), size: held.size, mode: disk.kind === 'file' ? disk.mode : USUAL_MODE }
}
