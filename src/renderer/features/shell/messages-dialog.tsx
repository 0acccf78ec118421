import { useToasts } from '../../state/page/toasts-state'
import { cx } from '../../ui/cx'
import { Dialog } from '../../ui/overlay/dialog'
import { EmptyState } from '../../ui/notice'
import { formatDate } from '../../../shared/language/speak'

/** The messages shown as toasts since the page was opened. */
export function MessagesDialog({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const kept = useToasts((state) => state.history)
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Messages"
      description="Notifications from this session, newest first."
      width={560}
    >
      {kept.length === 0 ? (
        <EmptyState title="No messages">Notifications are kept here after they disappear.</EmptyState>
      ) : (
        <ol className="pb-2">
          {kept.map(({ id, tone, title, message, at }) => (
            <li key={id} className="flex gap-3 border-t border-line py-2 first:border-t-0">
              <div className="min-w-0 flex-1">
                <p className={cx('font-medium break-words', tone === 'fail' && 'text-fail-ink')}>{title}</p>
                {message && <p className="text-ui break-words text-ink-2">{message}</p>}
              </div>
              <time dateTime={new Date(at).toISOString()} className="flex-none text-small text-ink-3 tabular-nums">
                {formatDate(at, { timeStyle: 'medium' })}
              </time>
            </li>
          ))}
        </ol>
      )}
    </Dialog>
  )
}
