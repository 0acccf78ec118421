import './markdown.css'
import { memo, useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react'
import { flushSync } from 'react-dom'
import type { Token, Tokens } from 'marked'
import remend from 'remend'
import type { FootnoteToken } from './markdown-lexer'
import { BlockView } from './block-view'
import { FootnoteLabels } from './inline-view'
import { onDrawingTurn } from '../../../state/page/drawing-turns'
import { forgetGrowingText, growingText } from './growing-text'
import { splitBlocks, type Block } from './split-blocks'

export interface MarkdownProps {
  text: string
  /** More text is coming: unclosed emphasis, code and links at the end are shown as if closed. */
  streaming: boolean
  /** Identifies a growing text, so that the part already drawn appears immediately when it comes back on screen. */
  id?: string
}

/**
 * Markdown, rendered block by block: while a text grows, only its last blocks are parsed and rendered again. However
 * much of it arrives at once, it is drawn in steps, one per frame.
 */
export const Markdown = memo(function Markdown({ text, streaming, id }: MarkdownProps) {
  const [growing] = useState(() => growingText(streaming ? id : undefined))
  const [, redraw] = useState(0)
  const { blocks, open, next, grown } = growing.draw(text, streaming, isHidden())
  const content = useRef<HTMLDivElement>(null)
  const skipped = useSkipped(content, grown)
  useLayoutEffect(() => growing.drawn())
  useEffect(() => {
    if (!open && id !== undefined) forgetGrowingText(id)
  }, [open, id])
  useEffect(() => {
    if (next === undefined) return undefined
    const draw = (): void => redraw((n) => n + 1)
    // Rendered within the frame, so that its turn ends with it.
    if (next === 'frame') return onDrawingTurn(() => flushSync(draw))
    const timer = setTimeout(draw, next)
    return () => clearTimeout(timer)
  })
  return (
    <div ref={content} className="md" data-streaming={open || undefined}>
      <FootnoteLabels value={footnoteLabels(blocks)}>
        {parts(blocks).map((part, index, all) => (
          <Part key={part[0]?.key} blocks={part} open={open && index === all.length - 1} passed={index < skipped} />
        ))}
      </FootnoteLabels>
    </div>
  )
})

/** A hidden page has no frames to draw in. */
function isHidden(): boolean {
  return globalThis.document?.hidden ?? true
}

/**
 * Number of leading groups that the browser may skip while they are off screen: all groups above the end of a growing
 * text that have been laid out, so that their sizes are known. After a change of width they are laid out again first.
 */
function useSkipped(content: RefObject<HTMLElement | null>, grown: number): number {
  const groups = Math.max(0, Math.ceil(grown / PART) - NEAR_END)
  const [isMeasured, setMeasured] = useState(false)
  const watched = groups > 0
  useEffect(() => {
    const element = content.current
    if (!watched || !element) return undefined
    let width = -1
    let cancel = (): void => undefined
    const watch = new ResizeObserver(() => {
      if (element.clientWidth === width) return
      width = element.clientWidth
      cancel()
      // Called before paint, and before the browser has noted the sizes.
      setMeasured(false)
      cancel = onDrawingTurn(() => flushSync(() => setMeasured(true)))
    })
    watch.observe(element)
    return () => {
      watch.disconnect()
      cancel()
    }
  }, [watched, content])
  return isMeasured ? groups : 0
}

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
  (a, b) => a.open === b.open && a.block === b.block,
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
