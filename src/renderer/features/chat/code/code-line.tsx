import { memo, useMemo, type ReactNode } from 'react'
import type { CodeToken } from '../../../ui/code/highlighter'
import { FileLink } from '../../../ui/content/file-link'
import { Address } from '../markdown/address'
import { codePieces, linksIn, type CodeLink } from './code-links'

/** A longer line is cut on screen; copying gives all of it. */
const LINE_LIMIT = 2000

interface CodeLineProps {
  line: string
  tokens: CodeToken[] | undefined
  /** Whether addresses and paths of files in it open; not while it is being written. */
  linked: boolean
}

/** One line of a fenced block, in colour once that is known. */
export const CodeLine = memo(function CodeLine({ line, tokens, linked }: CodeLineProps) {
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
      <Address href={link.url} text={link.url}>
        {children}
      </Address>
    )
  }
  return (
    <FileLink path={link.path} line={link.line} column={link.column}>
      {children}
    </FileLink>
  )
}
