import type { GrammarState, HighlighterCore } from 'shiki/core'
import { loadLanguage } from './code-languages'

/** A part of a line in one color. `kind` names the color: a class `ct-<kind>`. */
export interface CodeToken {
  text: string
  kind: string
}

const THEME = 'trestle'
/** Lines longer than this are not highlighted: one minified line would take seconds. */
const MAX_LINE_CHARS = 1000
/**
 * Highlighting stops within a line that takes longer. The first use of a language compiles its patterns, which takes a
 * while on a slow machine.
 */
const LONGEST_MS = 8000

/** A loaded language, with the name its grammar uses. */
interface Loaded {
  highlighter: HighlighterCore
  name: string
}

let core: Promise<HighlighterCore> | undefined
const loading = new Map<string, Promise<void>>()
const ready = new Map<string, Loaded>()

/** Loads a language; rejects for an unknown name. Everything is loaded when the first code is shown. */
function withLanguage(language: string): Promise<void> {
  let loaded = loading.get(language)
  if (!loaded) {
    loaded = (async () => {
      const grammars = await loadLanguage(language)
      const name = grammars?.at(-1)?.name
      if (!grammars || name === undefined) throw new Error(`There is no grammar named ${language}.`)
      core ??= createCore()
      const highlighter = await core
      await highlighter.loadLanguage(...grammars)
      ready.set(language, { highlighter, name })
    })()
    loading.set(language, loaded)
  }
  return loaded
}

async function createCore(): Promise<HighlighterCore> {
  const [{ createHighlighterCore, createCssVariablesTheme }, { createJavaScriptRegexEngine }] = await Promise.all([
    import('shiki/core'),
    import('shiki/engine/javascript'),
  ])
  // The JavaScript engine, so that the page's policy needs no WebAssembly; patterns it does not support are skipped.
  const theme = createCssVariablesTheme({ name: THEME, variablePrefix: '--code-', fontStyle: false })
  return createHighlighterCore({ themes: [theme], langs: [], engine: createJavaScriptRegexEngine({ forgiving: true }) })
}

/**
 * Highlights the lines of one code block, a few at a time, and continues where it stopped when lines are added. On the
 * page it runs in a worker (highlight-worker.ts): the first use of a language takes hundreds of ms at a stretch.
 */
export class CodeLines {
  readonly #language: string
  #lines: string[] = []
  readonly tokens: CodeToken[][] = []
  #state: GrammarState | undefined

  constructor(language: string) {
    this.#language = language
  }

  /** Sets the current lines. A line that has changed, and all lines after it, are highlighted again. */
  set(lines: string[]): void {
    const before = this.#lines
    this.#lines = lines
    for (let n = 0; n < this.tokens.length; n += 1) {
      if (before[n] === lines[n]) continue
      // The grammar state of that line was not kept, so start over. Happens when the block turns out to be a different
      // one.
      this.tokens.length = 0
      this.#state = undefined
      return
    }
  }

  get done(): boolean {
    return this.tokens.length >= this.#lines.length
  }

  /** Highlights for about `budgetMs`, up to line `until`. False while the language is not loaded. */
  work(budgetMs: number, until: number): boolean {
    const loaded = ready.get(this.#language)
    if (!loaded) return false
    const { highlighter, name } = loaded
    const end = performance.now() + budgetMs
    const stop = Math.min(until, this.#lines.length)
    while (this.tokens.length < stop && performance.now() < end) {
      const chunk = this.#lines.slice(this.tokens.length, Math.min(stop, this.tokens.length + 8))
      const result = highlighter.codeToTokensBase(chunk.join('\n'), {
        lang: name,
        theme: THEME,
        tokenizeMaxLineLength: MAX_LINE_CHARS,
        tokenizeTimeLimit: LONGEST_MS,
        ...(this.#state && { grammarState: this.#state }),
      })
      this.#state = highlighter.getLastGrammarState(result) ?? this.#state
      chunk.forEach((_, n) =>
        this.tokens.push((result[n] ?? []).map(({ content, color }) => ({ text: content, kind: kindOf(color) }))),
      )
    }
    return true
  }

  load(): Promise<unknown> {
    return withLanguage(this.#language)
  }
}

/** `var(--code-token-string-expression)` is `string-expression`. */
function kindOf(color: string | undefined): string {
  return /--code-token-([\w-]+)/.exec(color ?? '')?.[1] ?? 'plain'
}
