import { visibleLine } from '../../../../shared/visible-text'
import { useQuery } from '@tanstack/react-query'
import { Ellipsis, Tag } from 'lucide-react'
import { useState } from 'react'
import type { GitStatus, GitTag } from '../../../../shared/model/project/git'
import { relativeTime, useNowEachMinute } from '../../../format/relative-time'
import { useClient, useQueries } from '../../../state/page/queries'
import { showFailureToast, showToast } from '../../../state/page/toasts-state'
import { IconButton } from '../../../ui/button'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/overlay/menu'
import { useGit } from '../git-context'
import { showIntegrationResult } from '../integration-notice'
import { RefList } from './ref-list'
import { TagDialog } from './tag-dialog'
import { LoadError } from '../../../ui/load-error'

/** The tags, the newest first: create, push, merge, check out, delete. */
export function TagsTab({ status }: { status: GitStatus }) {
  const queries = useQueries()
  const client = useClient()
  const { sessionId, run } = useGit()
  const [isNaming, setNaming] = useState(false)
  const query = useQuery(queries.git.tags.queryOptions({ input: { sessionId }, retry: false }))
  const { data: tags, error } = query
  const remove = async ({ name }: GitTag): Promise<void> => {
    try {
      const { object } = await client.git.deleteTag({ sessionId, name })
      showToast(`Deleted ${name} here`, {
        label: 'Undo',
        run: () => void run('Restoring', (git) => git.restoreTag({ sessionId, name, object }), `Restored ${name}`),
      })
    } catch (failure) {
      showFailureToast(failure)
    }
  }
  if (error) return <LoadError query={query} className="m-3" />
  return (
    <>
      <RefList
        kind="tags"
        refs={tags}
        icon={<Tag aria-hidden />}
        create={{ label: 'New tag', isPossible: status.commit !== undefined, run: () => setNaming(true) }}
        renderRow={(tag) => <TagRow tag={tag} status={status} onDelete={() => void remove(tag)} />}
      />
      {isNaming && <TagDialog onClose={() => setNaming(false)} />}
    </>
  )
}

function TagRow({ tag, status, onDelete }: { tag: GitTag; status: GitStatus; onDelete: () => void }) {
  const now = useNowEachMinute()
  const { sessionId, run } = useGit()
  const { name, commit, subject, message, at } = tag
  return (
    <div className="flex min-h-[44px] items-center gap-1 border-b border-line pr-1.5 pl-3 hover:bg-sunken">
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="flex w-full items-center gap-2">
          <span className="min-w-0 truncate text-ui">{visibleLine(name)}</span>
          <code className="flex-none font-mono text-tiny text-ink-3">{commit.slice(0, 8)}</code>
        </span>
        <span className="w-full truncate text-small text-ink-3">
          {relativeTime(at, now)} · {visibleLine(message ?? subject)}
        </span>
      </span>
      <Menu
        label={`Actions for ${name}`}
        align="end"
        trigger={
          <IconButton label={`Actions for ${name}`}>
            <Ellipsis aria-hidden />
          </IconButton>
        }
      >
        <MenuItem
          disabled={status.remotes.length === 0}
          onSelect={() =>
            void run('Pushing', (git, signal) => git.pushTag({ sessionId, name }, { signal }), `Pushed ${name}`)
          }
        >
          Push
        </MenuItem>
        <MenuItem
          disabled={status.bare}
          onSelect={() =>
            void run('Merging', async (git) =>
              showIntegrationResult(await git.merge({ sessionId, from: `refs/tags/${name}` }), `Merged ${name}`),
            )
          }
        >
          Merge into {status.branch ?? 'what is checked out'}
        </MenuItem>
        <MenuItem
          disabled={status.bare}
          onSelect={() => void run('Switching', (git) => git.switch({ sessionId, to: commit }), `Checked out ${name}`)}
        >
          Check out
        </MenuItem>
        <MenuSeparator />
        <MenuItem danger onSelect={onDelete}>
          Delete here
        </MenuItem>
      </Menu>
    </div>
  )
}
