import type { ReactNode } from 'react'
import { Button } from '../../ui/button'
import { cx } from '../../ui/cx'
import { Dot } from '../../ui/dot'
import { Kbd } from '../../ui/kbd'

/** More dots say no more. */
const MOST_DOTS = 24

interface TypingLineProps {
  /** What the program asks, when it waits for a person. */
  prompt: string | undefined
  focused: boolean
  /** Characters of the line being typed. */
  typed: number
  onAnswer: () => void
  actions?: ReactNode
}

/** Under a terminal that can be typed into: whether it waits, where typing goes, and dots for what was typed. */
export function TypingLine({ prompt, focused, typed, onAnswer, actions }: TypingLineProps) {
  const waits = prompt !== undefined
  return (
    <div className={cx('typing-line', waits && 'typing-line-waits')}>
      <div role="status" className="flex min-w-0 flex-[1_1_260px] flex-wrap items-center gap-x-2">
        {waits && !focused && (
          <>
            <Dot status="waiting" silent />
            <span className="min-w-0 truncate font-medium">Needs input: {prompt === '' ? 'the program is waiting for input' : prompt}</span>
          </>
        )}
        {focused ? (
          <>
            <span>Sent only to the program. Not logged or shared with the model.</span>
            <span className="inline-flex items-center gap-1">
              <Kbd keys="Esc" /> leaves<span className="sr-only"> the terminal; Control and [ sends Escape to the program</span>
            </span>
          </>
        ) : (
          waits && <span className="text-ink-3">Your input stays there.</span>
        )}
      </div>
      {typed > 0 && (
        <span className="flex-none tracking-[2px]" aria-label={`${typed} typed`} role="img">
          {'•'.repeat(Math.min(typed, MOST_DOTS))}
        </span>
      )}
      <span className="flex flex-none items-center">
        {!focused && (
          <Button size="small" variant={waits ? 'primary' : 'quiet'} data-answer onClick={onAnswer}>
            {waits ? 'Answer' : 'Type input'}
          </Button>
        )}
        {actions}
      </span>
    </div>
  )
}
