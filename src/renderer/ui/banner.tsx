import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Tone } from './badge'
import { cx } from './cx'
import { IconButton } from './icon-button'

const TONES: Record<Tone, string> = {
  plain: 'bg-sunken text-ink-2',
  wait: 'bg-wait-bg text-wait-ink',
  run: 'bg-run-bg text-run-ink',
  done: 'bg-done-bg text-done-ink',
  fail: 'bg-fail-bg text-fail-ink',
}

interface BannerProps {
  tone: Tone
  icon?: ReactNode
  children: ReactNode
  actions?: ReactNode
  onDismiss?: () => void
}

/** One line across the top of the main area that stays until it is over or dismissed. */
export function Banner({ tone, icon, children, actions, onDismiss }: BannerProps) {
  return (
    <div
      className={cx(
        'flex min-h-[36px] flex-none flex-wrap items-center gap-x-2.5 gap-y-1 border-b border-line px-[18px] py-1 text-ui max-mid:px-3 [&>svg]:size-[15px] [&>svg]:flex-none',
        TONES[tone],
      )}
    >
      {icon}
      <div className="min-w-[min(18rem,80%)] flex-1 break-words">{children}</div>
      {actions}
      {onDismiss && (
        <IconButton label="Dismiss" className="-mr-1.5 text-current hover:bg-transparent" onClick={onDismiss}>
          <X aria-hidden />
        </IconButton>
      )}
    </div>
  )
}
