import { Copy, CornerDownRight, EllipsisVertical, FileDiff, GitFork, History, Link, Pencil, Quote } from 'lucide-react'
import { memo, useRef, useState } from 'react'
import { isUserProvided, typedText, type UserPart } from '../../../../shared/model/turn/message'
import type { UserItem } from '../../../../shared/events/transcript-item'
import { quoteInComposer, selectedTextIn } from '../../../state/session/composer-state'
import { requestResend } from '../../../state/session/resend-state'
import { requestRestore } from '../../../state/session/restore-state'
import { openPane } from '../../../state/panes/panes-state'
import { useSessionActions } from '../../../state/session/session-actions'
import { hasLinks } from '../../../state/session/route'
import { IconButton } from '../../../ui/button'
import { CopyButton } from '../../../ui/content/copy-button'
import { FileLink } from '../../../ui/content/file-link'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/overlay/menu'

/** Longer messages are collapsed, so that a pasted log does not take a minute to scroll past. */
const FOLD_CHARS = 1800
const FOLD_LINES = 24

/** A message of the user, on the right. */
export const UserMessage = memo(function UserMessage({ sessionId, item }: { sessionId: string; item: UserItem }) {
  const [open, setOpen] = useState(false)
  const parts = item.parts.filter(isUserProvided)
  const text = typedText(parts)
  const skill = item.parts.find((part) => part.type === 'text' && part.skill !== undefined)
  const folded = foldPoint(text)
  return (
    <div className="you-row">
      <MessageActions sessionId={sessionId} item={item} parts={parts} />
      <div className="you">
        <span className="sr-only">You: </span>
        {item.steered && (
          <p className="you-steered">
            <CornerDownRight aria-hidden />
            sent during the turn
          </p>
        )}
        {skill?.type === 'text' && (
          <details className="you-skill">
            <summary>with the skill {skill.skill}</summary>
            <pre>{skill.text}</pre>
          </details>
        )}
        <AttachedParts parts={item.parts} />
        <MessageMedia parts={parts} />
        <MessageFiles parts={parts} />
        {text !== '' && (
          <p dir="auto" className="you-text">
            {folded === undefined || open ? text : `${text.slice(0, folded)} …`}
          </p>
        )}
        {folded !== undefined && (
          <button type="button" className="you-more" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? 'Show less' : `Show all ${text.length.toLocaleString()} characters`}
          </button>
        )}
      </div>
    </div>
  )
})

/** Actions on the message: buttons on hover and focus, and a menu with all of them. */
function MessageActions({ sessionId, item, parts }: { sessionId: string; item: UserItem; parts: readonly UserPart[] }) {
  const actions = useSessionActions()
  // Right before the message; its ID contains its position in the log.
  const to = Number(item.id.slice(1)) - 1
  const text = typedText(parts)
  const place = useRef<HTMLDivElement>(null)
  const edit = (): void => requestResend({ sessionId, to, parts, kind: 'edit' })
  const quote = (): void =>
    quoteInComposer(sessionId, selectedTextIn(place.current?.closest('.you-row') ?? null) ?? text)
  return (
    <div ref={place} className="you-acts">
      {/* A message that joined a turn cannot be sent again without the rest of it. */}
      {!item.steered && (
        <IconButton label="Edit and resend" className="you-act" onClick={edit}>
          <Pencil aria-hidden />
        </IconButton>
      )}
      {text !== '' && <CopyButton text={text} label="Copy the message" className="you-act" />}
      <Menu
        label="Message"
        align="end"
        trigger={
          <IconButton label="Message actions" className="you-menu">
            <EllipsisVertical aria-hidden />
          </IconButton>
        }
      >
        {!item.steered && (
          <MenuItem icon={<Pencil aria-hidden />} onSelect={edit}>
            Edit and resend…
          </MenuItem>
        )}
        {text !== '' && (
          <MenuItem icon={<Copy aria-hidden />} onSelect={() => actions.copyText(text)}>
            Copy
          </MenuItem>
        )}
        {text !== '' && (
          <MenuItem icon={<Quote aria-hidden />} onSelect={quote}>
            Quote in the message
          </MenuItem>
        )}
        <MenuSeparator />
        <MenuItem icon={<History aria-hidden />} onSelect={() => requestRestore({ sessionId, to, parts })}>
          Restore to here…
        </MenuItem>
        {!item.steered && (
          <MenuItem
            icon={<FileDiff aria-hidden />}
            onSelect={() => openPane(sessionId, { kind: 'review', scope: { kind: 'turn', turnId: item.turnId } })}
          >
            Review this turn
          </MenuItem>
        )}
        <MenuItem icon={<GitFork aria-hidden />} onSelect={() => actions.fork(sessionId, to)}>
          Fork the session from here
        </MenuItem>
        {hasLinks && (
          <MenuItem icon={<Link aria-hidden />} onSelect={() => actions.copyLink(sessionId, to + 1)}>
            Copy link to this message
          </MenuItem>
        )}
      </Menu>
    </div>
  )
}

/** Files that were attached to a message, as links. */
function MessageFiles({ parts }: { parts: readonly UserPart[] }) {
  const files = parts.flatMap((part) => (part.type === 'text' && part.file ? [part.file] : []))
  if (files.length === 0) return null
  return (
    <div className="you-media">
      {files.map(({ name, path }) => (
        <span key={path || name}>{path === '' ? name : <FileLink path={path}>{name}</FileLink>}</span>
      ))}
    </div>
  )
}

/** Images of a message. */
export function MessageMedia({ parts }: { parts: readonly UserPart[] }) {
  const media = parts.filter((part) => part.type === 'media')
  if (media.length === 0) return null
  return (
    <div className="you-media">
      {media.map((part, n) =>
        part.mediaType.startsWith('image/') && part.mediaType !== 'image/svg+xml' ? (
          <img key={n} src={`data:${part.mediaType};base64,${part.data}`} alt={part.name ?? `Image ${n + 1}`} />
        ) : (
          <span key={n}>{part.name ?? part.mediaType}</span>
        ),
      )}
    </div>
  )
}

function foldPoint(text: string): number | undefined {
  if (text.length <= FOLD_CHARS && text.split('\n', FOLD_LINES + 1).length <= FOLD_LINES) return undefined
  let at = -1
  for (let n = 0; n < FOLD_LINES; n += 1) {
    const next = text.indexOf('\n', at + 1)
    if (next < 0 || next > FOLD_CHARS) break
    at = next
  }
  return at > FOLD_CHARS / 3 || (at > 0 && text.indexOf('\n', at + 1) - at < FOLD_CHARS) ? at : FOLD_CHARS
}

/** Content that MCP servers added to a message; each part expands. */
function AttachedParts({ parts }: { parts: readonly UserPart[] }) {
  const groups = new Map<string, { label: string; parts: UserPart[] }>()
  for (const part of parts) {
    if (!part.attached) continue
    const { kind, server, name } = part.attached
    const label = kind === 'prompt' ? `the prompt ${name} of ${server}` : `${name} of ${server}`
    const group = groups.get(label) ?? { label, parts: [] }
    group.parts.push(part)
    groups.set(label, group)
  }
  return [...groups.values()].map(({ label, parts: given }) => (
    <details key={label} className="you-skill">
      <summary>with {label}</summary>
      {given.map((part, n) =>
        part.type === 'text' ? (
          <pre key={n}>{part.text.trim()}</pre>
        ) : part.text !== undefined ? (
          <pre key={n}>{part.text}</pre>
        ) : (
          <img key={n} src={`data:${part.mediaType};base64,${part.data}`} alt={part.name ?? `Image ${n + 1}`} />
        ),
      )}
    </details>
  ))
}
