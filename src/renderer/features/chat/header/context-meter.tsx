import { contextShare } from '../../../../shared/model/context-share'
import { useSessionHeader } from '../../../state/session-view'
import { useSettings } from '../../../state/settings-query'
import { Chip } from '../../../ui/chip'
import { cx } from '../../../ui/cx'
import { Tooltip } from '../../../ui/tooltip'

/** How full the model's window was at the latest request. */
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
        <span aria-hidden className="h-1 w-11 overflow-hidden rounded-full bg-line">
          <span className={cx('block h-full', share >= 0.9 ? 'bg-wait' : 'bg-ink-2')} style={{ width: `${share * 100}%` }} />
        </span>
        {percent}%
      </Chip>
    </Tooltip>
  )
}
