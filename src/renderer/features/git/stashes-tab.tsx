import { useQuery } from '@tanstack/react-query'
import { Archive } from 'lucide-react'
import { useState } from 'react'
import { gitPathText, type GitKept, type GitStash } from '../../../shared/model/project/git'
import { relativeTime, useNowEachMinute } from '../../format/relative-time'
import { useQueries } from '../../state/page/queries'
import { showToast } from '../../state/page/toasts-state'
import { Button } from '../../ui/button'
import { CONTROL_CLASS } from '../../ui/form/field'
import { EmptyState } from '../../ui/notice'
import { useGit } from './git-context'
import { LoadError } from '../../ui/load-error'

/** Stashed changes, and copies of discarded changes. */
export function StashesTab() {
  const queries = useQueries()
  const { sessionId, run, busy } = useGit()
  const [message, setMessage] = useState('')
  const [untracked, setUntracked] = useState(true)
  const input = { sessionId }
  const query = useQuery(queries.git.stashes.queryOptions({ input, retry: false }))
  const { data: stashes, error } = query
  const { data: kept } = useQuery(queries.git.kept.queryOptions({ input, retry: false }))
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <form
        aria-label="Stash"
        className="flex flex-wrap items-center gap-2 border-b border-line px-2 py-1.5"
        onSubmit={(event) => {
          event.preventDefault()
          void run(
            'Stashing',
            async (git) => {
              await git.saveStash({ ...input, message, untracked })
              setMessage('')
            },
            'Stashed the changes',
          )
        }}
      >
        <input
          aria-label="Message of the stash"
          placeholder="Message (optional)"
          value={message}
          maxLength={500}
          onChange={(event) => setMessage(event.target.value)}
          className={`${CONTROL_CLASS} h-[27px]! flex-1 basis-[160px]`}
        />
        <label className="flex items-center gap-1.5 text-small text-ink-2">
          <input type="checkbox" checked={untracked} onChange={(event) => setUntracked(event.target.checked)} />
          Include new files
        </label>
        <Button type="submit" size="small" icon={<Archive aria-hidden />} busy={busy === 'Stashing'}>
          Stash changes
        </Button>
      </form>
      {error && <LoadError query={query} className="m-3" />}
      {stashes?.length === 0 && kept?.length === 0 && (
        <EmptyState icon={<Archive aria-hidden />} title="No stashes">
          Stash your changes to switch branches, then apply them later.
        </EmptyState>
      )}
      <ul aria-label="Stashes">
        {stashes?.map((stash) => (
          <StashRow key={stash.hash} stash={stash} />
        ))}
      </ul>
      {kept && kept.length > 0 && (
        <section aria-labelledby="git-kept">
          <h3 id="git-kept" className="px-3 pt-3 pb-1 text-tiny font-semibold text-ink-3">
            Discarded, kept for 30 days
          </h3>
          <ul aria-label="Discarded">
            {kept.map((each) => (
              <KeptRow key={each.id} kept={each} />
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

function StashRow({ stash: { hash, message, at } }: { stash: GitStash }) {
  const { sessionId, run, busy } = useGit()
  const now = useNowEachMinute()
  const drop = (): void =>
    void run('Dropping', async (git) => {
      await git.dropStash({ sessionId, hash })
      const restore = (): void => void run('Restoring', (again) => again.restoreStash({ sessionId, hash, message }))
      showToast(`Dropped “${message}” (${hash.slice(0, 8)})`, { label: 'Undo', run: restore })
    })
  const apply = (andDrop: boolean): void =>
    void run('Applying', (git) => git.applyStash({ sessionId, hash, drop: andDrop }), `Applied “${message}”`)
  const label = (word: string): string => `${word} ${message}`
  return (
    <li className="flex items-center gap-1 border-b border-line px-3 py-1.5">
      <span className="min-w-0 flex-1">
        <span className="block truncate text-ui">{message}</span>
        <span className="block text-small text-ink-3">{relativeTime(at, now)}</span>
      </span>
      <Button size="small" disabled={busy !== undefined} aria-label={label('Apply')} onClick={() => apply(false)}>
        Apply
      </Button>
      <Button size="small" disabled={busy !== undefined} aria-label={label('Pop')} onClick={() => apply(true)}>
        Pop
      </Button>
      <Button size="small" variant="quiet" disabled={busy !== undefined} aria-label={label('Drop')} onClick={drop}>
        Drop
      </Button>
    </li>
  )
}

function KeptRow({ kept: { id, at, reason, paths } }: { kept: GitKept }) {
  const { sessionId, run, busy, undoable } = useGit()
  const now = useNowEachMinute()
  const names = paths.slice(0, 3).map(gitPathText).join(', ')
  const more = paths.length > 3 ? ` and ${paths.length - 3} more` : ''
  return (
    <li className="flex items-center gap-1 border-b border-line px-3 py-1.5">
      <span className="min-w-0 flex-1">
        <span className="block truncate font-mono text-small">
          {names}
          {more}
        </span>
        <span className="block text-small text-ink-3">
          {reason} · {relativeTime(at, now)}
        </span>
      </span>
      <Button
        size="small"
        disabled={busy !== undefined}
        aria-label={`Restore ${names}${more}`}
        onClick={() =>
          void run('Restoring', async (git) => {
            const restored = await git.restoreKept({ sessionId, id })
            undoable(
              restored.paths.length === 1 ? `Restored ${names}` : `Restored ${restored.paths.length} files`,
              restored,
            )
          })
        }
      >
        Restore
      </Button>
    </li>
  )
}
