import { CircleCheck, CircleDashed, CircleDot, File, Folder, Link2 } from 'lucide-react'
import { useMemo, useState, type ReactNode } from 'react'
import type { ResultPart } from '../../../../shared/model/turn/message'
import type { ToolDetails } from '../../../../shared/model/approval/preview'
import type { Todo } from '../../../../shared/model/turn/plan'
import { FileLink } from '../../../ui/content/file-link'
import { cx } from '../../../ui/cx'
import { formatBytes } from './tool-summary'
import { WebLink } from '../markdown-elements/web-link'

type DetailsOf<Kind extends ToolDetails['kind']> = Extract<ToolDetails, { kind: Kind }>

const FIRST_ROWS = 40

/** The first rows of a long list, the rest on request. */
function Rows({ rows, of }: { rows: readonly ReactNode[]; of: string }) {
  const [all, setAll] = useState(false)
  const long = rows.length > FIRST_ROWS + 5
  return (
    <>
      {long && !all ? rows.slice(0, FIRST_ROWS) : rows}
      {long && !all && (
        <button type="button" className="diff-more" data-grows onClick={() => setAll(true)}>
          Show all {rows.length.toLocaleString()} {of}
        </button>
      )}
    </>
  )
}

/** Lines of a file with their numbers. */
export function FileLines({ details, fallback }: { details: DetailsOf<'file'>; fallback: string }) {
  const lines = useMemo(() => details.text?.replace(/\n$/, '').split('\n'), [details.text])
  if (!lines) return <PlainText text={fallback} label="Sent to the model" />
  const rows = lines.map((line, n) => (
    <div key={n} className="file-line">
      <span>{details.line + n}</span>
      <span>{line.length > 1000 ? `${line.slice(0, 1000)} …` : line || ' '}</span>
    </div>
  ))
  return (
    <div className="listing" tabIndex={0} role="group" aria-label={`Lines of ${details.path}`}>
      <div className="w-max min-w-full">
        <Rows rows={rows} of="lines" />
      </div>
    </div>
  )
}

/** Matches grouped by file. */
export function MatchList({ details }: { details: DetailsOf<'matches'> }) {
  if (details.files.length === 0) return <p className="tool-note">No matches for {details.pattern}.</p>
  const rows = details.files.map((file) => (
    <div key={file.path} className="match-file">
      <p>
        <File aria-hidden />
        <span className="min-w-0 truncate" title={file.path}>
          <FileLink path={file.path} line={file.lines[0]?.line}>
            {file.path}
          </FileLink>
        </span>
        {file.count !== undefined && <span className="text-ink-3">{file.count.toLocaleString()}</span>}
      </p>
      {file.lines.map((line, n) => (
        <div key={n} className="file-line">
          <span>
            <FileLink path={file.path} line={line.line}>
              {line.line}
            </FileLink>
          </span>
          <span>{line.text.length > 400 ? `${line.text.slice(0, 400)} …` : line.text || ' '}</span>
        </div>
      ))}
    </div>
  ))
  return (
    <div className="listing" tabIndex={0} role="group" aria-label={`Matches of ${details.pattern}`}>
      <Rows rows={rows} of="files" />
      {details.truncated && <p className="tool-note px-3 pb-1">More results aren’t shown.</p>}
    </div>
  )
}

const ENTRY_ICONS = { dir: Folder, file: File, link: Link2, other: CircleDashed }

/** The entries of a folder. */
export function EntryList({ details }: { details: DetailsOf<'entries'> }) {
  if (details.entries.length === 0) return <p className="tool-note">The folder is empty.</p>
  const rows = details.entries.map((entry) => {
    const Icon = ENTRY_ICONS[entry.type]
    return (
      <div key={entry.name} className="entry-row">
        <Icon aria-hidden />
        <span className="min-w-0 truncate">
          {entry.name}
          {entry.type === 'dir' && '/'}
        </span>
        {entry.size !== undefined && <span className="text-ink-3">{formatBytes(entry.size)}</span>}
      </div>
    )
  })
  return (
    <div className="listing" tabIndex={0} role="group" aria-label={`Entries of ${details.path}`}>
      <Rows rows={rows} of="entries" />
    </div>
  )
}

const TODO_LOOK = {
  done: {
    Icon: CircleCheck,
    word: 'done',
    className: 'text-ink-3 line-through decoration-line-strong',
    icon: 'text-done-ink',
  },
  in_progress: { Icon: CircleDot, word: 'in progress', className: 'text-ink font-medium', icon: 'text-run-ink' },
  pending: { Icon: CircleDashed, word: 'to do', className: 'text-ink-2', icon: 'text-ink-3' },
}

/** The to-do list after a call. */
export function TodoItems({ todos }: { todos: readonly Todo[] }) {
  if (todos.length === 0) return <p className="tool-note">The list is empty.</p>
  return (
    <ul className="todo-items">
      {todos.map((todo, n) => {
        const { Icon, word, className, icon } = TODO_LOOK[todo.status]
        return (
          <li key={n}>
            <Icon aria-label={word} className={cx('mt-[3px] size-[14px] flex-none', icon)} />
            <span className={className}>{todo.title}</span>
          </li>
        )
      })}
    </ul>
  )
}

/** The image or video a tool read, from the result itself. */
export function MediaPreview({ details, content }: { details: DetailsOf<'media'>; content: readonly ResultPart[] }) {
  const part = content.find((candidate) => candidate.type === 'media')
  const source =
    part && /^(?:image\/(?:png|jpeg|gif|webp|avif|bmp)|video\/(?:mp4|webm|ogg|quicktime))$/.test(part.mediaType)
      ? `data:${part.mediaType};base64,${part.data}`
      : undefined
  return (
    <figure className="media-preview">
      {source === undefined ? null : details.mediaType.startsWith('video/') ? (
        <video src={source} controls muted preload="metadata" />
      ) : (
        <img src={source} alt={details.path} width={details.width} height={details.height} />
      )}
      <figcaption>
        {details.path} · {details.mediaType} · {formatBytes(details.bytes)}
        {details.width !== undefined && details.height !== undefined && ` · ${details.width} × ${details.height}`}
      </figcaption>
    </figure>
  )
}

type WebDetailsOf<Kind extends ToolDetails['kind']> = Extract<ToolDetails, { kind: Kind }>

/** The text of a web page. */
export function PageView({ details }: { details: WebDetailsOf<'page'> }) {
  return (
    <>
      <p className="tool-note web-address">
        <WebLink href={details.url} text={details.title ?? ''}>
          {details.title ?? details.url}
        </WebLink>
        {details.extracted ? ' · article text' : ' · full page'}
      </p>
      <PlainText text={details.text} label={`Text of ${details.title ?? details.url}`} />
    </>
  )
}

/** Web search results. */
export function HitList({ details }: { details: WebDetailsOf<'hits'> }) {
  if (details.hits.length === 0) return <p className="tool-note">No results for {details.query}.</p>
  return (
    <ol className="web-hits" aria-label={`Results for ${details.query}`}>
      {details.hits.map((hit, n) => (
        <li key={n}>
          <WebLink href={hit.url} text={hit.title}>
            {hit.title}
          </WebLink>
          <span className="web-host">{URL.canParse(hit.url) ? new URL(hit.url).host : ''}</span>
          {hit.snippet !== '' && <p>{hit.snippet}</p>}
        </li>
      ))}
    </ol>
  )
}

/** The tools that a tool search found and loaded. */
export function LoadedTools({ details }: { details: Extract<ToolDetails, { kind: 'tools' }> }) {
  if (details.tools.length === 0) return <p className="tool-note">No tools match {details.query}.</p>
  return (
    <ul
      className="overflow-hidden rounded-lg border border-line bg-raised"
      aria-label={`Tools loaded for ${details.query}`}
    >
      {details.tools.map(({ id, description }) => (
        <li key={id} className="border-t border-line px-3 py-1.5 first:border-t-0">
          <p className="font-mono text-small wrap-anywhere">{id}</p>
          {description !== '' && <p className="text-small text-ink-2">{description}</p>}
        </li>
      ))}
    </ul>
  )
}

const SHOWN_CHARS = 6000

/** Monospaced text. Long text shows its beginning first. */
export function PlainText({ text, label, failed = false }: { text: string; label: string; failed?: boolean }) {
  const [all, setAll] = useState(false)
  const cut = !all && text.length > SHOWN_CHARS + 500
  return (
    <div className={cx('plain-text', failed && 'plain-text-failed')}>
      <pre tabIndex={0} role="group" aria-label={label}>
        {cut ? text.slice(0, SHOWN_CHARS) : text}
      </pre>
      {cut && (
        <button type="button" className="diff-more" data-grows onClick={() => setAll(true)}>
          Show all {text.length.toLocaleString()} characters
        </button>
      )}
    </div>
  )
}
