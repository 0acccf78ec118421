import type { ReadState } from './workspace'

/** A read state that starts with what earlier events of the session tell: pairs of real path and content mark, oldest first. */
export function createReadState(earlier: Iterable<readonly [realPath: string, contentMark: string]> = []): ReadState {
  const marks = new Map(earlier)
  return {
    markRead: (realPath, contentMark) => void marks.set(realPath, contentMark),
    lastRead: (realPath) => marks.get(realPath),
    forget: () => marks.clear(),
  }
}
