import { Lexer, type MarkedOptions } from 'marked'
import { detailsBlock, footnoteBlock, footnoteMark } from './block-tokens'
import { mathBlock, mathInline, maskMath } from './math-tokens'

const starts = ({ start }: { start?: NonNullable<typeof mathBlock.start> }) => (start ? [start] : [])

// Put together here: `Marked`, which would do it, brings the writer of HTML with it.
const extensions: MarkedOptions['extensions'] = {
  renderers: {},
  childTokens: {},
  block: [mathBlock, detailsBlock, footnoteBlock].map(({ tokenizer }) => tokenizer),
  inline: [mathInline, footnoteMark].map(({ tokenizer }) => tokenizer),
  startBlock: starts(mathBlock),
  startInline: starts(mathInline),
}
const hooks = { emStrongMask: maskMath } as unknown as NonNullable<MarkedOptions['hooks']>

/** A reader of Markdown as people write it on GitHub and models write it: tables, tasks, footnotes, folded parts, formulas. */
export function createLexer(): Lexer {
  return new Lexer({ gfm: true, breaks: false, extensions, hooks })
}
