import { CornerDownRight, EllipsisVertical, GitFork, History, Link, FileDiff } from 'lucide-react'
import { memo, useState } from 'react'
import { isUserProvided, textOf, type UserPart } from '../../../../shared/model/message'
import type { UserItem } from '../../../../shared/events/transcript-item'
import { requestRestore } from '../../../state/session/restore-state'
import { openPane } from '../../../state/panes/panes-state'
import { useSessionActions } from '../../../state/session/session-actions'
import { hasLinks } from '../../../state/session/route'
import { IconButton } from '../../../ui/button'
import { Menu, MenuItem } from '../../../ui/menu'

/** Longer messages are collapsed, so that a pasted log does not take a minute to scroll past. */
const FOLD_CHARS = 1800
const FOLD_LINES = 24

/** A message of the user, on the right. */
export const UserMessage = memo(function UserMessage({ sessionId, item }: { sessionId: string; item: UserItem }) {
  const [open, setOpen] = useState(false)
  const parts = item.parts.filter(isUserProvided)
  const text = textOf(parts)
  const skill = item.parts.find((part) => part.type === 'text' && part.skill !== undefined)
  const folded = foldPoint(text)
  return (
    <div className="you-row">
      <MessageMenu sessionId={sessionId} item={item} parts={parts} />
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
        <MessageMedia parts={item.parts.filter(isUserProvided)} />
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

/** Restores to before the message, or forks the session there. */
function MessageMenu({ sessionId, item, parts }: { sessionId: string; item: UserItem; parts: readonly UserPart[] }) {
  const actions = useSessionActions()
  // Right before the message; its ID contains its position in the log.
  const to = Number(item.id.slice(1)) - 1
  return (
    <Menu
      label="Message"
      align="end"
      trigger={
        <IconButton label="Message actions" className="you-menu">
          <EllipsisVertical aria-hidden />
        </IconButton>
      }
    >
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
          <img key={n} src={`data:${part.mediaType};base64,${part.data}`} alt={part.name ?? `Picture ${n + 1}`} />
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
          <img key={n} src={`data:${part.mediaType};base64,${part.data}`} alt={part.name ?? `Picture ${n + 1}`} />
        ),
      )}
    </details>
  ))
}
