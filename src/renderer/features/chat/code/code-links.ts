import { pathsIn, type PathInText } from '../../../state/path-text'
import type { CodeToken } from '../../../ui/code/highlighter'

/** What a part of a line of code leads to: an address, or perhaps a file. */
export type CodeLink = { start: number; end: number; url: string } | PathInText

/** Consecutive pieces of a line; those of one link share it. */
export interface CodePiece {
  link: CodeLink | undefined
  tokens: CodeToken[]
}

/** An address, without what usually follows one: a full stop, a quote, a bracket. */
const ADDRESS = /https?:\/\/[^\s"'`<>()[\]{}|\\^]*[^\s"'`<>()[\]{}|\\^.,;:!?]/g

/** The links in a line of code, in their order. A name that is called, such as `console.log(`, is no file. */
export function linksIn(line: string): CodeLink[] {
  const addresses = [...line.matchAll(ADDRESS)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    url: match[0],
  }))
  const paths = pathsIn(line).filter(
    ({ start, end, path }) =>
      (path.includes('/') || line[end] !== '(') && !addresses.some((address) => start < address.end && end > address.start),
  )
  return [...addresses, ...paths].toSorted((a, b) => a.start - b.start)
}

/** The tokens of a line, cut where links begin and end: colours and links do not have the same borders. */
export function codePieces(tokens: readonly CodeToken[], links: readonly CodeLink[]): CodePiece[] {
  const pieces: CodePiece[] = []
  let at = 0
  let next = 0
  for (const { text, kind } of tokens) {
    let from = 0
    while (from < text.length) {
      while ((links[next]?.end ?? Infinity) <= at + from) next += 1
      const link = links[next]
      const inside = link !== undefined && link.start <= at + from
      const border = link === undefined ? Infinity : inside ? link.end : link.start
      const to = Math.min(text.length, border - at)
      const owner = inside ? link : undefined
      const last = pieces.at(-1)
      const token = { text: text.slice(from, to), kind }
      if (last && last.link === owner) last.tokens.push(token)
      else pieces.push({ link: owner, tokens: [token] })
      from = to
    }
    at += text.length
  }
  return pieces
}
