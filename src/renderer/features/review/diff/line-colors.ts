import { useEffect, useState, type RefObject } from 'react'
import { changedWords, type TextRange } from '../../../format/diff-lines'
import type { CodeToken } from '../../../ui/code/code-lines'
import { PageCode } from '../../../ui/code/page-code'
import { languageOfPath } from '../../../ui/code/code-languages'
import type { ShownHunk } from './shown-hunk'

/** The colors and the changed words of the lines of one hunk, by their index in it. */
export interface HunkColors {
  tokens: ReadonlyMap<number, readonly CodeToken[]>
  words: ReadonlyMap<number, readonly TextRange[]>
}

interface Side {
  code: PageCode
  /** The index in the hunk, for each line of the side. */
  places: number[]
  /** Number of lines that have their colors. */
  done: number
}

interface Work {
  colors: { tokens: Map<number, readonly CodeToken[]>; words: HunkColors['words'] }
  sides: Side[]
}

/** Lines stay plain until scrolling has paused this long (ms), because drawing them has priority. */
const QUIET_MS = 80
/** The rest of a longer side stays plain, because users rarely read that far. */
const MAX_LINES = 3000

const known = new WeakMap<ShownHunk, Work>()

function workFor(hunk: ShownHunk, path: string): Work {
  const before = known.get(hunk)
  if (before) return before
  const { lines } = hunk
  const language = languageOfPath(path)
  const side = (has: 'old' | 'new'): Side => {
    const places: number[] = []
    lines.forEach((line, at) => {
      if (line.kind === 'same' || line.kind === (has === 'old' ? 'del' : 'add')) places.push(at)
    })
    const code = new PageCode(language ?? '')
    code.set(places.map((at) => hunk.code?.[at] ?? lines[at]!.text))
    return { code, places, done: 0 }
  }
  const work = {
    colors: { tokens: new Map<number, readonly CodeToken[]>(), words: changedWords(lines) },
    sides: language === undefined ? [] : [side('new'), side('old')],
  }
  known.set(hunk, work)
  return work
}

/** Collects the colors computed so far, and requests the rest. */
function takeColors({ colors, sides }: Work): boolean {
  let hasChanged = false
  for (const side of sides) {
    const { code, places } = side
    code.ask(Math.min(places.length, MAX_LINES))
    for (; side.done < code.tokens.length; side.done += 1) {
      colors.tokens.set(places[side.done]!, code.tokens[side.done]!)
      hasChanged = true
    }
  }
  return hasChanged
}

/**
 * The colors of the hunks on screen; `movedAt`: when the review was last scrolled. They are computed while the page is
 * idle; until then, a line is plain. Renders again when there are more.
 */
export function useLineColors(
  visible: readonly { hunk: ShownHunk; path: string }[],
  movedAt: RefObject<number>,
): (hunk: ShownHunk, path: string) => HunkColors {
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
      let hasChanged = false
      for (const { hunk, path } of visible) if (takeColors(workFor(hunk, path))) hasChanged = true
      if (hasChanged) redraw((n) => n + 1)
    }
    const stops = visible.flatMap(({ hunk, path }) => workFor(hunk, path).sides.map(({ code }) => code.listen(later)))
    later()
    return () => {
      isOver = true
      for (const stop of stops) stop()
      if (scheduled !== undefined) cancelIdleCallback(scheduled)
    }
  }, [visible, movedAt])
  return (hunk, path) => workFor(hunk, path).colors
}
