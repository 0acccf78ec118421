import './markdown.css'
import { memo, useEffect, useLayoutEffect, useState } from 'react'
import type { Token, Tokens } from 'marked'
import remend from 'remend'
import type { FootnoteToken } from './markdown-lexer'
import { BlockView } from './block-view'
import { FootnoteLabels } from './inline-view'
import { GrowingText, splitBlocks, type Block } from './split-blocks'

export interface MarkdownProps {
  text: string
  /** More text is coming: unclosed emphasis, code and links at the end are shown as if closed. */
  streaming: boolean
}

/** Markdown, rendered block by block: while a text grows, only its last blocks are parsed and rendered again. */
export const Markdown = memo(function Markdown({ text, streaming }: MarkdownProps) {
  const [growing] = useState(() => new GrowingText())
  const [, redraw] = useState(0)
  const { blocks, waitMs } = growing.draw(text, streaming)
  useLayoutEffect(() => growing.drawn())
  useEffect(() => {
    const timer = waitMs > 0 ? setTimeout(() => redraw((n) => n + 1), waitMs) : undefined
    return () => clearTimeout(timer)
  })
  return (
    <div className="md" data-streaming={streaming || undefined}>
      <FootnoteLabels value={footnoteLabels(blocks)}>
        {parts(blocks).map((part, index, all) => (
          <Part
            key={part[0]?.key}
            blocks={part}
            open={streaming && index === all.length - 1}
            passed={index < all.length - NEAR_END}
          />
        ))}
      </FootnoteLabels>
    </div>
  )
})

function footnoteLabels(blocks: readonly Block[]): string {
  return blocks.map(({ token }) => (token.type === 'footnote' ? `\n${(token as FootnoteToken).label}\n` : '')).join('')
}

/** Blocks per group: a growing answer of hundreds of blocks is compared and laid out by groups. */
const PART = 16
/** Groups at the end that are always laid out, so that the text on screen never waits for its size. */
const NEAR_END = 3

function parts(blocks: readonly Block[]): Block[][] {
  return Array.from({ length: Math.ceil(blocks.length / PART) }, (_, n) => blocks.slice(n * PART, (n + 1) * PART))
}

const Part = memo(
  function Part({ blocks, open, passed }: { blocks: readonly Block[]; open: boolean; passed: boolean }) {
    return (
      <div className="md-part" data-passed={passed || undefined}>
        {blocks.map((block, index) => (
          <OneBlock key={block.key} block={block} open={open && index === blocks.length - 1} />
        ))}
      </div>
    )
  },
  (a, b) =>
    a.open === b.open &&
    a.passed === b.passed &&
    a.blocks.length === b.blocks.length &&
    a.blocks.every((block, index) => block === b.blocks[index]),
)

const MAY_BE_MATH = /\$|\\[([]|```\s*math/

const OneBlock = memo(
  function OneBlock({ block, open }: { block: Block; open: boolean }) {
    return (
      <div
        className="md-block"
        data-joined={block.joined || undefined}
        data-heading={block.token.type === 'heading' || undefined}
        data-math={MAY_BE_MATH.test(block.token.raw) || undefined}
      >
        <BlockView token={open ? closed(block.token) : block.token} streaming={open} />
      </div>
    )
  },
  // A block that was parsed again but has the same text is the same block.
  (a, b) =>
    a.open === b.open &&
    a.block.joined === b.block.joined &&
    (a.block.token === b.block.token ||
      (!b.open && a.block.token.raw === b.block.token.raw && a.block.token.type === b.block.token.type)),
)

/** The block as if its open constructs were closed, so that a half-written link or emphasis does not flicker. */
function closed(token: Token): Token {
  if (['code', 'html', 'math', 'details'].includes(token.type) || token.raw.length > 20_000) return token
  const raw = remend(token.raw, { linkMode: 'text-only', images: true, htmlTags: false, katex: false })
  if (raw === token.raw) return token
  return (
    splitBlocks(raw).blocks[0]?.token ??
    ({ type: 'paragraph', raw: '', text: '', tokens: [] } satisfies Tokens.Paragraph)
  )
}
