import '../content/content.css'
import { Fragment, memo, useMemo, useState, type ReactNode } from 'react'
import type { CodeToken } from './code-lines'
import { useCodeLines } from './highlighter'
import { changedWords, type TextRange, diffLines, type DiffLine } from '../../format/diff-lines'
import { codeCellPath, codeInCells, isNotebook, notebookLines, type PictureLine } from '../../format/notebook-lines'
import { VISIBLE_TOKEN } from '../../../shared/visible-text'
import { VisibleTokens } from '../content/visible-tokens'
import { languageOfPath } from './code-languages'
import { nameInDiff, type FileDiff } from '../../../shared/model/approval/preview'

interface DiffViewProps {
  /** A unified diff of one file. */
  diff: string
  /** The file: its extension selects the grammar. */
  path?: string
  /** Rows shown initially; the rest on request. */
  limit?: number
  /** Rendered after the last change, once its row is shown: what follows is only what surrounds the change. */
  end?: ReactNode
}

/** Longer than any line of a request, which the engine has folded. */
const LINE_LIMIT = 4000

/** A diff with the line numbers of both sides. A long diff shows its beginning first. */
export const DiffView = memo(function DiffView({ diff, path, limit = 60, end }: DiffViewProps) {
  const [all, setAll] = useState(false)
  const hasCells = isNotebook(path)
  const [asJson, setAsJson] = useState(false)
  const inCells = hasCells && !asJson
  const lines = useMemo(() => (inCells ? notebookLines(diffLines(diff)).flat() : diffLines(diff)), [diff, inCells])
  const long = lines.length > limit + 8
  const shown = long && !all ? lines.slice(0, limit) : lines
  const lastChange = lines.findLastIndex(({ kind }) => kind !== 'same' && kind !== 'gap')
  const endAt = lastChange < 0 ? lines.length - 1 : lastChange
  const changed = useMemo(() => changedWords(lines.map(asText)), [lines])
  const colors = useDiffColors(shown, path, inCells)
  if (lines.length === 0)
    return (
      <p className="px-3 py-2 text-small text-ink-3">
        No change in the text.
        {end}
      </p>
    )
  return (
    <div>
      {hasCells && <NotebookWays asJson={asJson} onChoose={setAsJson} />}
      <div className="diff" role="group" aria-label="Changes" tabIndex={0}>
        <div className="diff-rows">
          {shown.map((line, index) => (
            <Fragment key={index}>
              {line.kind === 'picture' ? (
                <PictureRow line={line} />
              ) : (
                <DiffRow line={line} tokens={colors(line)} changed={changed.get(index)} />
              )}
              {index === endAt && end}
            </Fragment>
          ))}
        </div>
      </div>
      {long && (
        <button type="button" className="diff-more" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? `Show the first ${limit} lines` : `Show all ${lines.length.toLocaleString()} lines`}
        </button>
      )}
    </div>
  )
})

/** Chooses whether a notebook is shown as cells or as the JSON that it is. */
export function NotebookWays({ asJson, onChoose }: { asJson: boolean; onChoose: (asJson: boolean) => void }) {
  return (
    <p role="group" aria-label="Show as" className="diff-ways">
      <button type="button" aria-pressed={!asJson} onClick={() => onChoose(false)}>
        Cells
      </button>
      <button type="button" aria-pressed={asJson} onClick={() => onChoose(true)}>
        JSON
      </button>
    </p>
  )
}

/** Replaces a picture with a note, which is not compared word by word. */
function asText(line: DiffLine | PictureLine): DiffLine {
  return line.kind === 'picture' ? { kind: 'note', text: '' } : line
}

function PictureRow({ line: { sign, mediaType, data } }: { line: PictureLine }) {
  return (
    <div className="diff-row" data-kind={sign}>
      <span className="diff-n" />
      <span className="diff-n" />
      <span className="diff-sign">{sign === 'add' ? '+' : sign === 'del' ? '−' : ''}</span>
      <img className="diff-picture" src={`data:${mediaType};base64,${data}`} alt={`Output, ${mediaType}`} />
    </div>
  )
}

const DiffRow = memo(function DiffRow({
  line,
  tokens,
  changed,
}: {
  line: DiffLine
  tokens: readonly CodeToken[] | undefined
  changed: readonly TextRange[] | undefined
}) {
  if (line.kind === 'gap') {
    return (
      <div className="diff-gap">
        <span>
          {line.hidden.toLocaleString()} unchanged {line.hidden === 1 ? 'line' : 'lines'}
          {line.text && ` · ${line.text.slice(0, 120)}`}
        </span>
      </div>
    )
  }
  if (line.kind === 'note') {
    return (
      <div className="diff-gap">
        <span>{line.text}</span>
      </div>
    )
  }
  const text =
    line.text.length > LINE_LIMIT
      ? `${line.text.slice(0, LINE_LIMIT)} … ${(line.text.length - LINE_LIMIT).toLocaleString()} more characters`
      : line.text
  return (
    <div className="diff-row" data-kind={line.kind}>
      <span className="diff-n">{line.kind === 'add' ? '' : line.old}</span>
      <span className="diff-n">{line.kind === 'del' ? '' : line.new}</span>
      <span className="diff-sign">{line.kind === 'add' ? '+' : line.kind === 'del' ? '−' : ''}</span>
      <DiffText className="diff-text" text={text} tokens={tokens} changed={changed} />
    </div>
  )
})

interface DiffTextProps {
  className: string
  text: string
  /** Its colors, once highlighted. */
  tokens: readonly CodeToken[] | undefined
  /** Its changed ranges. */
  changed: readonly TextRange[] | undefined
}

/** Columns by which the further rows of a wrapped line are indented at most, so that they stay readable. */
const MAX_INDENT = 24
const TAB_COLUMNS = 4

/**
 * The text of a diff line: highlighted code with the changed words marked. Where it wraps, it keeps its indentation.
 * Hidden characters always stay marked.
 */
export function DiffText({ className, text, tokens, changed = [] }: DiffTextProps): ReactNode {
  const indent = /^[ \t]*/.exec(text)![0]
  const columns = Math.min(indent.replaceAll('\t', ' '.repeat(TAB_COLUMNS)).length, MAX_INDENT)
  return (
    <span
      className={className}
      style={columns === 0 ? undefined : { paddingLeft: `${columns}ch`, textIndent: `-${columns}ch` }}
    >
      {piecesOf(text, indent, tokens, changed)}
    </span>
  )
}

function piecesOf(
  text: string,
  indent: string,
  tokens: readonly CodeToken[] | undefined,
  changed: readonly TextRange[],
): ReactNode {
  if (text === '') return ' '
  const blank = indent === '' ? null : <span className="diff-indent">{indent}</span>
  if ((!tokens && changed.length === 0) || text.search(VISIBLE_TOKEN) >= 0) {
    return (
      <>
        {blank}
        <VisibleTokens text={text.slice(indent.length)} />
      </>
    )
  }
  const kinds = tokens?.map(({ text: piece }) => piece).join('') === text ? tokens : [{ text, kind: 'plain' }]
  const pieces: ReactNode[] = []
  let at = 0
  for (const { text: piece, kind } of kinds) {
    for (const part of cut(at, at + piece.length, changed, indent.length)) {
      const isChanged = changed.some(({ from, to }) => part.from >= from && part.to <= to)
      const className = [
        part.to <= indent.length ? 'diff-indent' : kind === 'plain' ? '' : `ct-${kind}`,
        isChanged ? 'diff-word' : '',
      ]
        .join(' ')
        .trim()
      const written = text.slice(part.from, part.to)
      pieces.push(
        className === '' ? (
          written
        ) : (
          <span key={part.from} className={className}>
            {written}
          </span>
        ),
      )
    }
    at += piece.length
  }
  return pieces
}

/** A range, split where the indentation ends and where changes start and end. */
function cut(from: number, to: number, changed: readonly TextRange[], indent: number): TextRange[] {
  const inner = [indent, ...changed.flatMap((one) => [one.from, one.to])].filter((place) => place > from && place < to)
  const places = [from, ...new Set(inner.toSorted((a, b) => a - b)), to]
  return places.slice(1).map((end, n) => ({ from: places[n]!, to: end }))
}

/** The part of a longer diff beyond this is not highlighted. */
const MAX_LINES = 600

/** The colors of a diff's lines: each side is highlighted separately, as complete code. */
function useDiffColors(
  lines: readonly (DiffLine | PictureLine)[],
  path: string | undefined,
  inCells: boolean,
): (line: DiffLine) => readonly CodeToken[] | undefined {
  const language = (path !== undefined && languageOfPath(inCells ? codeCellPath() : path)) || ''
  const { old, fresh } = useMemo(() => sidesOf(lines.map(asText), inCells), [lines, inCells])
  const oldTokens = useCodeLines(old.texts, language, Math.min(old.texts.length, MAX_LINES), false)
  const freshTokens = useCodeLines(fresh.texts, language, Math.min(fresh.texts.length, MAX_LINES), false)
  return (line) =>
    line.kind === 'del' ? oldTokens[old.places.get(line) ?? -1] : freshTokens[fresh.places.get(line) ?? -1]
}

interface Side {
  texts: string[]
  places: Map<DiffLine, number>
}

function sidesOf(lines: readonly DiffLine[], inCells: boolean): { old: Side; fresh: Side } {
  const [old, fresh]: Side[] = [
    { texts: [], places: new Map() },
    { texts: [], places: new Map() },
  ]
  const put = (side: Side, line: DiffLine, text: string): void => {
    side.places.set(line, side.texts.length)
    side.texts.push(text)
  }
  const texts = inCells ? codeInCells(lines) : lines.map(({ text }) => text)
  for (const [n, line] of lines.entries()) {
    if (line.kind === 'same' || line.kind === 'del') put(old!, line, texts[n]!)
    if (line.kind === 'same' || line.kind === 'add') put(fresh!, line, texts[n]!)
  }
  return { old: old!, fresh: fresh! }
}

interface FileDiffListProps {
  files: readonly FileDiff[]
  /** Rows of each file shown initially. */
  limit?: number
  /** Rendered after the last change of each file, once it is shown. */
  ends?: readonly ReactNode[]
}

/** The diffs of one call; with several files, each under its name. */
export function FileDiffList({ files, limit, ends }: FileDiffListProps) {
  return files.map((file, index) => (
    <section key={index} aria-label={files.length > 1 ? nameInDiff(file) : undefined}>
      {files.length > 1 && (
        <p className="file-diff-name">
          <span className="font-mono">{nameInDiff(file)}</span>
          <span className="text-add-ink">+{file.added}</span> <span className="text-del-ink">−{file.removed}</span>
        </p>
      )}
      <DiffView diff={file.diff} path={file.path} {...(limit !== undefined && { limit })} end={ends?.[index]} />
      {file.note && <p className="file-diff-note">{file.note}</p>}
    </section>
  ))
}
