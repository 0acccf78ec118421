import { folderName } from '../../format/folder-name'
import { relativeTime, useNowEachMinute } from '../../format/relative-time'
import { useAppInfo } from '../../state/page/queries'
import { Button } from '../../ui/button'

interface TrustedListProps {
  label: string
  /** Shown for an empty list; a sentence. */
  empty: string
  places: readonly { id: string; folder: string; acceptedAt: number }[]
  /** The place whose trust is being revoked. */
  busy: string | undefined
  onForget: (id: string) => void
}

/** Places that are trusted, each with a button that revokes the trust. */
export function TrustedList({ label, empty, places, busy, onForget }: TrustedListProps) {
  const { data: info } = useAppInfo()
  const now = useNowEachMinute()
  return (
    <ul className="overflow-hidden rounded-lg border border-line bg-raised" aria-label={label}>
      {places.map(({ id, folder, acceptedAt }) => {
        const { name, parent } = folderName(folder, info?.userHome)
        return (
          <li
            key={id}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-3.5 py-2 first:border-t-0"
          >
            <span className="min-w-0 flex-1 truncate" title={folder}>
              <b className="font-medium">{name}</b> <span className="text-small text-ink-3">{parent}</span>
            </span>
            <time
              dateTime={new Date(acceptedAt).toISOString()}
              title={new Date(acceptedAt).toLocaleString()}
              className="flex-none text-small text-ink-3"
            >
              {relativeTime(acceptedAt, now)}
            </time>
            <Button size="small" aria-label={`Stop trusting ${name}`} busy={busy === id} onClick={() => onForget(id)}>
              Stop trusting
            </Button>
          </li>
        )
      })}
      {places.length === 0 && <li className="px-3.5 py-3 text-ui text-ink-3">{empty}</li>}
    </ul>
  )
}
