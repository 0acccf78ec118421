/**
 * Files as somebody has them who stands between the agent and the disk: an editor, with text that is not saved yet. Each half may be missing; then
 * the disk counts. Paths are real paths.
 */
export interface FileAccess {
  /** Whether it is asked about this path at all. */
  covers(path: string): boolean
  /** The text as it is there now; undefined when it is not known there. Never rejects. */
  read?(path: string, signal?: AbortSignal): Promise<string | undefined>
  /** Changes the text there and on the disk. Rejects with a `FileProblem` when it is refused. */
  write?(path: string, text: string): Promise<void>
}
