import { EllipsisVertical, FileDiff, GitFork, Quote, RotateCcw } from 'lucide-react'
import { memo, useRef, type RefObject } from 'react'
import type { TurnFigures } from '../../../../shared/events/transcript-item'
import { formatCost } from '../../../../shared/model/turn/usage'
import { formatDate, formatMoment } from '../../../../shared/language/speak'
import { formatTokens } from '../../../format/model-usage'
import { duration } from '../../../format/relative-time'
import { quoteInComposer, selectedTextIn } from '../../../state/session/composer-state'
import { openPane } from '../../../state/panes/panes-state'
import { retry } from '../../../state/session/resend-state'
import { useSessionActions } from '../../../state/session/session-actions'
import { useClient, useSettings } from '../../../state/page/queries'
import { IconButton } from '../../../ui/button'
import { CopyButton } from '../../../ui/content/copy-button'
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../../../ui/overlay/menu'

interface TurnFooterProps {
  sessionId: string
  /** Markdown of the answer. */
  text: string
  figures: TurnFigures
  /** `seq` of the end of the turn. */
  seq: number
  turnId: string
}

/** Below the last answer of a turn: its time, model, duration and tokens, and the actions on it. */
export const TurnFooter = memo(function TurnFooter({ sessionId, text, figures, seq, turnId }: TurnFooterProps) {
  const place = useRef<HTMLDivElement>(null)
  const client = useClient()
  const { prompt } = figures
  const again = (model?: string): void => {
    if (prompt)
      void retry(client, {
        sessionId,
        to: Number(prompt.id.slice(1)) - 1,
        parts: prompt.parts,
        ...(model !== undefined && { model }),
      })
  }
  return (
    <div ref={place} className="turn-foot">
      <Figures figures={figures} />
      <span className="turn-acts">
        {text !== '' && <CopyButton text={text} label="Copy the answer" />}
        {text !== '' && (
          <IconButton label="Quote in the message" onClick={() => quoteInComposer(sessionId, quoted(place, text))}>
            <Quote aria-hidden />
          </IconButton>
        )}
        {prompt && (
          <IconButton label="Retry" onClick={() => again()}>
            <RotateCcw aria-hidden />
          </IconButton>
        )}
        <AnswerMenu
          sessionId={sessionId}
          seq={seq}
          turnId={turnId}
          onRetry={prompt && again}
          onQuote={() => quoteInComposer(sessionId, quoted(place, text))}
        />
      </span>
    </div>
  )
})

/** The selected text of the answer, or else all of it. */
function quoted(place: RefObject<HTMLDivElement | null>, text: string): string {
  return selectedTextIn(place.current?.closest('.row') ?? null) ?? text
}

function Figures({ figures: { endedAt, durationMs, models, usage } }: { figures: TurnFigures }) {
  const { data: settings } = useSettings()
  const time = new Date(endedAt)
  const names = models.map((id) => settings?.models.find((model) => model.id === id)?.label ?? id).join(', ')
  return (
    <span className="turn-figures">
      <time dateTime={time.toISOString()} title={formatMoment(time)}>
        {formatDate(time, { timeStyle: 'short' })}
      </time>
      {names !== '' && <span className="turn-model">{names}</span>}
      {durationMs >= 1000 && <span>{duration(durationMs)}</span>}
      {usage && (
        <span
          title={
            `${usage.input.toLocaleString()} tokens in (${usage.cached.toLocaleString()} cached), ` +
            `${usage.output.toLocaleString()} out`
          }
        >
          {formatTokens(usage.input + usage.output)} tokens
        </span>
      )}
      {usage?.cost !== undefined && (
        <span title={usage.isCostPartial ? 'Part of the cost is unknown.' : undefined}>
          {usage.isCostPartial ? 'over ' : ''}
          {formatCost(usage.cost)}
        </span>
      )}
    </span>
  )
}

interface AnswerMenuProps {
  sessionId: string
  seq: number
  turnId: string
  onRetry: ((model?: string) => void) | undefined
  onQuote: () => void
}

function AnswerMenu({ sessionId, seq, turnId, onRetry, onQuote }: AnswerMenuProps) {
  const actions = useSessionActions()
  const { data: settings } = useSettings()
  return (
    <Menu
      label="Answer"
      align="end"
      trigger={
        <IconButton label="Answer actions" className="turn-menu">
          <EllipsisVertical aria-hidden />
        </IconButton>
      }
    >
      <MenuItem icon={<Quote aria-hidden />} onSelect={onQuote}>
        Quote in the message
      </MenuItem>
      <MenuItem
        icon={<FileDiff aria-hidden />}
        onSelect={() => openPane(sessionId, { kind: 'review', scope: { kind: 'turn', turnId } })}
      >
        Review this turn
      </MenuItem>
      <MenuItem icon={<GitFork aria-hidden />} onSelect={() => actions.fork(sessionId, seq)}>
        Fork the session from here
      </MenuItem>
      {onRetry && (
        <>
          <MenuSeparator />
          <MenuItem icon={<RotateCcw aria-hidden />} onSelect={() => onRetry()}>
            Retry
          </MenuItem>
          {(settings?.models.length ?? 0) > 1 && <MenuLabel>Retry with</MenuLabel>}
          {(settings?.models.length ?? 0) > 1 &&
            settings?.models.map(({ id, label }) => (
              <MenuItem key={id} onSelect={() => onRetry(id)}>
                {label}
              </MenuItem>
            ))}
        </>
      )}
    </Menu>
  )
}

export function answerText(segments: readonly { type: string; text: string }[]): string {
  return segments
    .filter(({ type }) => type === 'text')
    .map(({ text }) => text)
    .join('\n\n')
}
