import { useEffect, useRef, useState } from 'react'
import { knownLanguage } from './code-languages'
import { CodeLines, type CodeToken } from './highlighter'

/** Finished blocks are kept, so that scrolling back shows them in colour at once. */
const KEPT = 80
const kept = new Map<string, CodeLines>()
const SLICE_MS = 4

/** The colours of the lines up to `until`, as far as they are known; they come in idle moments. */
export function useCodeLines(lines: string[], language: string, until: number, growing: boolean): readonly CodeToken[][] {
  const known = knownLanguage(language)
  const key = growing || known === undefined ? undefined : `${known}\n${lines.join('\n')}`
  const code = useRef<{ language: string; lines: CodeLines }>(undefined)
  const [, redraw] = useState(0)

  if (known !== undefined) {
    const remembered = key === undefined ? undefined : kept.get(key)
    if (remembered) code.current = { language: known, lines: remembered }
    else if (code.current?.language !== known) code.current = { language: known, lines: new CodeLines(known) }
    code.current?.lines.set(lines)
    if (key !== undefined && code.current && !remembered) remember(key, code.current.lines)
  }

  useEffect(() => {
    const { current } = code
    if (known === undefined || !current || current.lines.tokens.length >= Math.min(until, lines.length)) return
    let over = false
    let cancel = (): void => undefined
    const slice = (): void => {
      if (over) return
      const before = current.lines.tokens.length
      if (!current.lines.work(SLICE_MS, until)) {
        current.lines.load().then(slice, () => undefined)
        return
      }
      if (current.lines.tokens.length > before) redraw((n) => n + 1)
      if (current.lines.tokens.length < Math.min(until, lines.length)) cancel = whenIdle(slice)
    }
    cancel = whenIdle(slice)
    return () => {
      over = true
      cancel()
    }
  }, [known, lines, until])

  return known === undefined ? [] : (code.current?.lines.tokens ?? [])
}

function remember(key: string, lines: CodeLines): void {
  kept.set(key, lines)
  for (const old of kept.keys()) {
    if (kept.size <= KEPT) return
    kept.delete(old)
  }
}

function whenIdle(callback: () => void): () => void {
  const id = requestIdleCallback(callback, { timeout: 300 })
  return () => cancelIdleCallback(id)
}
