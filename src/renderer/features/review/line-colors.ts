import { useEffect, useState, type RefObject } from 'react'
import type { ReviewHunk } from '../../../shared/model/review'
import { changedWords, type TextRange } from '../../format/diff-lines'
import { CodeLines, type CodeToken } from '../../ui/content/highlighter'
import { languageOfPath } from '../../ui/content/code-languages'
import { diffLinesOf } from './review-rows'

/** The colors and the changed words of the lines of one hunk, by their index in it. */
export interface HunkColors {
  tokens: ReadonlyMap<number, readonly CodeToken[]>
  words: ReadonlyMap<number, readonly TextRange[]>
}

interface Side {
  code: CodeLines
  /** The index in the hunk of each line of the side. */
  places: number[]
}

interface Work {
  colors: { tokens: Map<number, readonly CodeToken[]>; words: HunkColors['words'] }
  sides: Side[]
}

const SLICE_MS = 5
/** While the page scrolls, lines stay plain: drawing them comes first. */
const QUIET_MS = 80
/** The rest of a longer side stays plain: its end is hardly looked at. */
const MAX_LINES = 3000

const known = new WeakMap<ReviewHunk, Work>()

function workFor(hunk: ReviewHunk, path: string): Work {
  const before = known.get(hunk)
  if (before) return before
  const lines = diffLinesOf(hunk)
  const language = languageOfPath(path)
  const side = (has: 'old' | 'new'): Side => {
    const places: number[] = []
    lines.forEach((line, at) => {
      if (line.kind === 'same' || line.kind === (has === 'old' ? 'del' : 'add')) places.push(at)
    })
    const code = new CodeLines(language ?? '')
    code.set(places.map((at) => hunk.lines[at]!.slice(1)))
    return { code, places }
  }
  const work = {
    colors: { tokens: new Map<number, readonly CodeToken[]>(), words: changedWords(lines) },
    sides: language === undefined ? [] : [side('new'), side('old')],
  }
  known.set(hunk, work)
  return work
}

const loading = new WeakSet<CodeLines>()

/** Highlights until `end`; `later` is called once a language is loaded. */
function highlight({ colors, sides }: Work, end: number, later: () => void): { hasMore: boolean; hasChanged: boolean } {
  let [hasMore, hasChanged] = [false, false]
  for (const { code, places } of sides) {
    const last = Math.min(places.length, MAX_LINES)
    if (code.tokens.length >= last) continue
    if (performance.now() >= end) return { hasMore: true, hasChanged }
    const before = code.tokens.length
    if (!code.work(end - performance.now(), last)) {
      // Without its language a file stays plain.
      if (!loading.has(code)) code.load().then(later, () => undefined)
      loading.add(code)
      continue
    }
    for (let n = before; n < code.tokens.length; n += 1) colors.tokens.set(places[n]!, code.tokens[n]!)
    hasChanged = true
    hasMore ||= code.tokens.length < last
  }
  return { hasMore, hasChanged }
}

/**
 * The colors of the hunks on screen; `movedAt`: when it was scrolled last. They are computed while the page is idle: a line is shown plain until then. Draws
 * again when there are more.
 */
export function useLineColors(
  visible: readonly { hunk: ReviewHunk; path: string }[],
  movedAt: RefObject<number>,
): (hunk: ReviewHunk, path: string) => HunkColors {
  const [, redraw] = useState(0)
  useEffect(() => {
    let isOver = false
    let scheduled: number | undefined
    const later = (): void => {
      if (!isOver) scheduled ??= requestIdleCallback(slice, { timeout: 200 })
    }
    const slice = (): void => {
      scheduled = undefined
      if (performance.now() - movedAt.current < QUIET_MS) return later()
      const end = performance.now() + SLICE_MS
      let [hasMore, hasChanged] = [false, false]
      for (const { hunk, path } of visible) {
        const done = highlight(workFor(hunk, path), end, later)
        hasMore ||= done.hasMore
        hasChanged ||= done.hasChanged
      }
      if (hasChanged) redraw((n) => n + 1)
      if (hasMore) later()
    }
    later()
    return () => {
      isOver = true
      if (scheduled !== undefined) cancelIdleCallback(scheduled)
    }
  }, [visible, movedAt])
  return (hunk, path) => workFor(hunk, path).colors
}
