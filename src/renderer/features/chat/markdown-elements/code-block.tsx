import { plural } from '../../../../shared/language/plural'
import { useMemo, useState, memo, type ReactNode } from 'react'
import { CopyButton } from '../../../ui/content/copy-button'
import type { CodeToken } from '../../../ui/code/code-lines'
import { useCodeLines } from '../../../ui/code/highlighter'
import { FileLink } from '../../../ui/content/file-link'
import { WebLink } from './web-link'
import { findPaths, type PathInText } from '../../../format/paths-in-text'

/** Lines shown initially; the rest on request, so that a long listing does not bury the conversation. */
const SHOWN_LINES = 120
/** A long block that is still growing shows its last lines. */
const TAIL_LINES = 60

interface CodeBlockProps {
  code: string
  language: string
  /** The closing fence has not arrived yet. */
  streaming: boolean
}

/** A fenced block: language, copy button, highlighted lines. */
export function CodeBlock({ code, language, streaming }: CodeBlockProps) {
  const [all, setAll] = useState(false)
  const lines = useMemo(() => code.split('\n'), [code])
  const long = lines.length > SHOWN_LINES + 20
  const from = long && streaming ? lines.length - TAIL_LINES : 0
  const to = !long || streaming || all ? lines.length : SHOWN_LINES
  // Highlighting from the start only to color the end is wasteful: a long growing block is colored when complete.
  const tokens = useCodeLines(lines, language, from > 0 ? 0 : to, streaming)
  return (
    <figure className="code-block">
      <figcaption>
        <span>{language || 'text'}</span>
        {from > 0 && (
          <span>
            · {from.toLocaleString()} {plural(from, 'line')} above
          </span>
        )}
        <CopyButton text={code} label="Copy code" />
      </figcaption>
      <pre tabIndex={0} aria-label={language ? `Code, ${language}` : 'Code'}>
        <code>
          {lines.slice(from, to).map((line, n) => (
            <CodeLine key={from + n} line={line} tokens={tokens[from + n]} linked={!streaming} />
          ))}
        </code>
      </pre>
      {long && !streaming && (
        <button type="button" className="code-more" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? `Show the first ${SHOWN_LINES} lines` : `Show all ${lines.length.toLocaleString()} lines`}
        </button>
      )}
    </figure>
  )
}

/** A longer line is cut on screen; copying includes all of it. */
const LINE_LIMIT = 2000

interface CodeLineProps {
  line: string
  tokens: CodeToken[] | undefined
  /** Whether URLs and file paths in it are links; off while the block is growing. */
  linked: boolean
}

/** One line of a fenced block, highlighted once its colors are known. */
const CodeLine = memo(function CodeLine({ line, tokens, linked }: CodeLineProps) {
  const links = useMemo(() => (linked && line.length <= LINE_LIMIT ? linksIn(line) : []), [line, linked])
  if (line.length > LINE_LIMIT) {
    return (
      <>
        {line.slice(0, LINE_LIMIT)}
        <span className="code-cut">… {(line.length - LINE_LIMIT).toLocaleString()} more characters</span>
        {'\n'}
      </>
    )
  }
  if (links.length === 0) return tokens ? [...tokens.map(colored), '\n'] : `${line}\n`
  return (
    <>
      {codePieces(tokens ?? [{ text: line, kind: 'plain' }], links).map((piece, n) => (
        <Linked key={n} link={piece.link}>
          {piece.tokens.map(colored)}
        </Linked>
      ))}
      {'\n'}
    </>
  )
})

function colored(token: CodeToken, n: number): ReactNode {
  return token.kind === 'plain' ? (
    token.text
  ) : (
    <span key={n} className={`ct-${token.kind}`}>
      {token.text}
    </span>
  )
}

function Linked({ link, children }: { link: CodeLink | undefined; children: ReactNode }): ReactNode {
  if (!link) return children
  if ('url' in link) {
    return (
      <WebLink href={link.url} text={link.url}>
        {children}
      </WebLink>
    )
  }
  return (
    <FileLink path={link.path} line={link.line} column={link.column}>
      {children}
    </FileLink>
  )
}

/** The target of a link in code: a URL, or a possible file. */
type CodeLink = { start: number; end: number; url: string } | PathInText

/** Consecutive parts of a line; parts of one link share it. */
export interface CodePiece {
  link: CodeLink | undefined
  tokens: CodeToken[]
}

/** A URL, without the punctuation that usually follows one: a full stop, a quote, a bracket. */
const ADDRESS = /https?:\/\/[^\s"'`<>()[\]{}|\\^]*[^\s"'`<>()[\]{}|\\^.,;:!?]/g

/** The links in a line of code, in order. A called name, such as `console.log(`, is not a file. */
export function linksIn(line: string): CodeLink[] {
  const addresses = [...line.matchAll(ADDRESS)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    url: match[0],
  }))
  const paths = findPaths(line).filter(
    ({ start, end, path }) =>
      (path.includes('/') || line[end] !== '(') &&
      !addresses.some((address) => start < address.end && end > address.start),
  )
  return [...addresses, ...paths].toSorted((a, b) => a.start - b.start)
}

/** The tokens of a line, split at link boundaries: colors and links have different boundaries. */
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
