import { memo, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Token, Tokens } from 'marked'
import remend from 'remend'
import { BlockView } from './block-view'
import './markdown.css'
import { splitBlocks, type Block, type SplitText } from './split-blocks'

interface MarkdownProps {
  text: string
  /** More text is coming: the end is shown as if what is open (emphasis, code, links) were closed. */
  streaming: boolean
}

/** A growing text is shown at most as often as keeps this share of the time free for everything else. */
const COST_SHARE = 6

/** Markdown, drawn block by block: while a text grows, only its last blocks are read and drawn again. */
export const Markdown = memo(function Markdown({ text, streaming }: MarkdownProps) {
  const shown = usePaced(text, streaming)
  const split = useRef<SplitText>(undefined)
  const began = performance.now()
  // A finished text is read as a whole: what was guessed at a block's end while it grew is put right.
  const now = splitBlocks(shown.text, streaming || split.current?.text === shown.text ? split.current : undefined)
  split.current = now
  useLayoutEffect(() => shown.tell(performance.now() - began))
  const last = now.blocks.length - 1
  return (
    <div className="md">
      {now.blocks.map((block, index) => (
        <OneBlock key={block.key} block={block} open={streaming && index === last} />
      ))}
    </div>
  )
})

const OneBlock = memo(
  function OneBlock({ block, open }: { block: Block; open: boolean }) {
    return (
      <div className="md-block" data-joined={block.joined || undefined}>
        <BlockView token={open ? mended(block.token) : block.token} streaming={open} />
      </div>
    )
  },
  // A block that was read again but is the same text is the same block.
  (a, b) =>
    a.open === b.open &&
    a.block.joined === b.block.joined &&
    (a.block.token === b.block.token || (!b.open && a.block.token.raw === b.block.token.raw && a.block.token.type === b.block.token.type)),
)

/** The block as if what is still open in it were closed, so that a half-written link or emphasis does not flicker. */
function mended(token: Token): Token {
  if (token.type === 'code' || token.type === 'html' || token.raw.length > 20_000) return token
  const raw = remend(token.raw, { linkMode: 'text-only', images: true, htmlTags: false, katex: false })
  if (raw === token.raw) return token
  return splitBlocks(raw).blocks[0]?.token ?? ({ type: 'paragraph', raw: '', text: '', tokens: [] } satisfies Tokens.Paragraph)
}

/** The text, or while it grows and drawing it is slow, the text of a moment ago. */
function usePaced(text: string, streaming: boolean): { text: string; tell(costMs: number): void } {
  const state = useRef({ text, at: 0, cost: 0 })
  const [, redraw] = useState(0)
  const { current } = state
  const due = current.at + current.cost * COST_SHARE
  const wait = streaming && text.startsWith(current.text) ? due - performance.now() : 0
  const late = wait > 8
  if (!late) current.text = text
  useEffect(() => {
    if (!late) return
    const timer = setTimeout(() => redraw((n) => n + 1), wait)
    return () => clearTimeout(timer)
  })
  return {
    text: current.text,
    tell: (costMs) => {
      if (late) return
      current.at = performance.now()
      current.cost = costMs
    },
  }
}
