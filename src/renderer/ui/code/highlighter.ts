import './code.css'
import { useEffect, useState } from 'react'
import type { CodeToken } from './code-lines'
import { languageNamed } from './code-languages'
import { PageCode } from './page-code'

/** Maximum number of finished blocks in the cache, which shows them in color immediately after scrolling back. */
const KEPT = 80
const kept = new Map<string, PageCode>()

/** The colors of the lines up to `until` that are computed so far; new ones are rendered while the page is idle. */
export function useCodeLines(
  lines: string[],
  language: string,
  until: number,
  growing: boolean,
): readonly CodeToken[][] {
  const [code] = useState(() => new ShownCode())
  const [, redraw] = useState(0)
  const known = code.show(lines, language, growing)
  // The last line of a growing block is incomplete: highlighting it early would mean repeating it when it changes.
  const end = Math.min(until, growing ? lines.length - 1 : lines.length)
  const read = known?.tokens.length ?? 0

  useEffect(() => {
    if (!known || read >= end) return undefined
    let cancel: (() => void) | undefined
    const later = (): void => {
      cancel ??= whenIdle(() => redraw((n) => n + 1))
    }
    const stop = known.listen(later)
    known.ask(end)
    // Another block with the same code may have requested them before.
    if (known.tokens.length > read) later()
    return () => {
      stop()
      cancel?.()
    }
  }, [known, read, end])

  return known?.tokens ?? []
}

/** The highlighter of one code block on screen, kept while the block grows. */
class ShownCode {
  #language: string | undefined
  #code: PageCode | undefined

  /** The highlighted lines; undefined when the language is shown plain. */
  show(lines: string[], name: string, growing: boolean): PageCode | undefined {
    const language = languageNamed(name)
    if (language === undefined) return undefined
    const key = growing ? undefined : `${language}\n${lines.join('\n')}`
    const remembered = key === undefined ? undefined : kept.get(key)
    if (remembered) this.#code = remembered
    else if (!this.#code || this.#language !== language) this.#code = new PageCode(language)
    this.#language = language
    this.#code.set(lines)
    if (key !== undefined && !remembered) remember(key, this.#code)
    return this.#code
  }
}

function remember(key: string, lines: PageCode): void {
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
