import { contextShare } from '../../../../shared/configuration/session-model'
import { useSettings } from '../../../state/page/queries'
import { useSessionHeader } from '../../../state/session/session-view'
import { Chip } from '../../../ui/chip'
import { cx } from '../../../ui/cx'
import { Tooltip } from '../../../ui/tooltip'

/** Context usage at the latest request. */
export function ContextMeter({ sessionId }: { sessionId: string }) {
  const header = useSessionHeader(sessionId)
  const { data: settings } = useSettings()
  const context = header && settings && contextShare(header, settings)
  if (!context) return null
  const { used, window, share, percent } = context
  const less = header.learnedWindow === undefined ? '' : ', the most that the provider accepts'
  const text = `Context: ${used.toLocaleString()} of ${window.toLocaleString()} tokens${less}`
  return (
    <Tooltip text={text}>
      <Chip
        tabIndex={0}
        role="meter"
        aria-label="Context"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
        aria-valuetext={text}
        className="tabular-nums"
      >
        <span aria-hidden className="h-1 w-11 overflow-hidden rounded-full bg-line forced-color-adjust-none">
          <span
            className={cx('block h-full', share >= 0.9 ? 'bg-wait' : 'bg-ink-2')}
            style={{ width: `${share * 100}%` }}
          />
        </span>
        {percent}%
      </Chip>
    </Tooltip>
  )
}
