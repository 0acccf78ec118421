import { create } from 'zustand'
import type { DroppedPath } from '../page/desktop-bridge'

/** Files to mention in the current message. `id` distinguishes one request from the next. */
export const useMentions = create<{
  asked: { id: number; sessionId: string; paths: readonly DroppedPath[] } | undefined
}>()(() => ({ asked: undefined }))

/** Mentions files and folders, by their absolute paths, in the composer of a session. */
export function mentionPaths(sessionId: string, paths: readonly DroppedPath[]): void {
  useMentions.setState(({ asked }) => ({ asked: { id: (asked?.id ?? 0) + 1, sessionId, paths } }))
}

/** The type under which a drag inside the page carries files of a session, as JSON of `DroppedPath`s. */
export const DRAGGED_PATHS = 'application/x-trestle-paths'

/** The files of a drag that started in the page. */
export function draggedPaths(data: DataTransfer): DroppedPath[] {
  try {
    const paths: unknown = JSON.parse(data.getData(DRAGGED_PATHS) || '[]')
    return Array.isArray(paths) ? paths.filter(isPath) : []
  } catch {
    return []
  }
}

function isPath(value: unknown): value is DroppedPath {
  return typeof value === 'object' && value !== null && 'path' in value && typeof value.path === 'string'
}
