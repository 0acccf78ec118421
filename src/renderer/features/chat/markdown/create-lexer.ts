import { Hooks, Lexer, Marked, type MarkedOptions } from 'marked'
import { detailsBlock, footnoteBlock, footnoteMark } from './block-tokens'
import { mathBlock, mathInline, maskMath } from './math-tokens'

const { extensions = null } = new Marked({ extensions: [footnoteMark, footnoteBlock, detailsBlock, mathInline, mathBlock] }).defaults

class MathHooks extends Hooks {
  override emStrongMask(src: string): string {
    return maskMath(src)
  }
}

/** A reader of Markdown as people write it on GitHub and models write it: tables, tasks, footnotes, folded parts, formulas. */
export function createLexer(): Lexer {
  const options: MarkedOptions = { gfm: true, breaks: false, extensions, hooks: new MathHooks() }
  return new Lexer(options)
}
