import { useEffect, useState } from 'react'
import './code.css'
import { languageNamed } from './code-languages'
import { CodeLines, type CodeToken } from './highlighter'

/** Finished blocks are kept, so that scrolling back shows them in colour at once. */
const KEPT = 80
const kept = new Map<string, CodeLines>()
const SLICE_MS = 4

/** The colours of the lines up to `until`, as far as they are known; they come in idle moments. */
export function useCodeLines(lines: string[], language: string, until: number, growing: boolean): readonly CodeToken[][] {
  const [code] = useState(() => new ShownCode())
  const [, redraw] = useState(0)
  const known = code.show(lines, language, growing)
  // The last line of a growing block is still being written: reading it early means reading all again when it changes.
  const end = Math.min(until, growing ? lines.length - 1 : lines.length)
  const read = known?.tokens.length ?? 0

  useEffect(() => {
    if (!known || read >= end) return undefined
    let cancel = (): void => undefined
    let over = false
    const slice = (): void => {
      if (over) return
      const before = known.tokens.length
      if (!known.work(SLICE_MS, end)) {
        // Without its language a block stays plain.
        known.load().then(slice, () => undefined)
        return
      }
      if (known.tokens.length > before) redraw((n) => n + 1)
      if (known.tokens.length < end) cancel = whenIdle(slice)
    }
    cancel = whenIdle(slice)
    return () => {
      over = true
      cancel()
    }
  }, [known, read, end])

  return known?.tokens ?? []
}

/** The highlighted lines behind one code block on screen, over its growth. */
class ShownCode {
  #language: string | undefined
  #code: CodeLines | undefined

  /** The lines as they are now; undefined when the language is shown plain. */
  show(lines: string[], name: string, growing: boolean): CodeLines | undefined {
    const language = languageNamed(name)
    if (language === undefined) return undefined
    const key = growing ? undefined : `${language}\n${lines.join('\n')}`
    const remembered = key === undefined ? undefined : kept.get(key)
    if (remembered) this.#code = remembered
    else if (!this.#code || this.#language !== language) this.#code = new CodeLines(language)
    this.#language = language
    this.#code.set(lines)
    if (key !== undefined && !remembered) remember(key, this.#code)
    return this.#code
  }
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
