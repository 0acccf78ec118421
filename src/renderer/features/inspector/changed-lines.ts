import { useEffect, useRef, useState } from 'react'
import type { SessionFile } from '../../../shared/model/session/checkpoint'
import { useClient } from '../../state/page/queries'

/** The number of lines that differ from before the session. */
export interface ChangedLines {
  added: number
  removed: number
}

/** Files per request. */
const PAGE = 20
/** Lines of further files are counted only in the review. */
const MAX_FILES = 200

/**
 * The lines of files that a session has changed, by path, as its review counts them: by tools or commands, except
 * undone changes. Files without lines, such as images and files that may contain secrets, are omitted.
 */
export function useChangedLines(
  sessionId: string,
  files: readonly SessionFile[] | undefined,
): ReadonlyMap<string, ChangedLines> {
  const client = useClient()
  const [lines, setLines] = useState<ReadonlyMap<string, ChangedLines>>(new Map())
  /** The counted versions, by path. */
  const counted = useRef(new Map<string, string>())
  useEffect(() => {
    if (!files) return undefined
    let isCurrent = true
    const load = async (): Promise<void> => {
      // The most recently changed files are listed first.
      const latest = files.toReversed().slice(0, MAX_FILES)
      const due = latest.filter((file) => counted.current.get(file.path) !== versionsOf(file))
      for (let at = 0; at < due.length; at += PAGE) {
        const page = due.slice(at, at + PAGE)
        const paths = page.map(({ path }) => path)
        const diffs = await client.review.diffs({ sessionId, scope: { kind: 'session' }, paths })
        if (!isCurrent) return
        for (const file of page) counted.current.set(file.path, versionsOf(file))
        setLines((before) => {
          const next = new Map(before)
          for (const path of paths) next.delete(path)
          for (const { path, added, removed } of diffs) if (added + removed > 0) next.set(path, { added, removed })
          return next
        })
      }
    }
    // Without the counts, the list still shows which files differ.
    void load().catch(() => undefined)
    return () => {
      isCurrent = false
    }
  }, [client, sessionId, files])
  return lines
}

function versionsOf({ before, now }: SessionFile): string {
  return JSON.stringify([before, now])
}
