import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useLayout } from '../../state/page/layout-state'
import { useQueries } from '../../state/page/queries'
import { projectsOf, useSessions } from '../../state/session-list/sessions-state'
import { Button } from '../../ui/button'

const EXPLAIN = {
  label: 'Explain this project',
  text: 'Explain this project: what it does, how it is structured, and which files to read first.',
}
const FIX_TESTS = {
  label: 'Fix failing tests',
  text: 'Run the tests. If any fail, find the cause and fix it.',
}
const REVIEW = {
  label: 'Review my uncommitted changes',
  text: 'Review my uncommitted changes. List bugs and risks first, each with its file and line. Don’t change anything.',
}

interface StartSuggestionsProps {
  /** A project folder. */
  folder: string
  onChoose: (text: string) => void
}

/** First messages for a project, put into the composer to read and edit, and the session to continue there. */
export function StartSuggestions({ folder, onChoose }: StartSuggestionsProps) {
  const queries = useQueries()
  const sessions = useSessions()
  const latest = useMemo(
    () =>
      projectsOf(sessions)
        .find((project) => project.folder === folder)
        ?.sessions.find(({ title, scheduleId }) => title !== '' && scheduleId === undefined),
    [sessions, folder],
  )
  // The query of the worktree switch: whether something is not committed.
  const { data: repository } = useQuery(queries.worktree.offer.queryOptions({ input: { folder }, retry: false }))
  const suggestions = [EXPLAIN, FIX_TESTS, ...(repository && repository.changed > 0 ? [REVIEW] : [])]
  return (
    <div role="group" aria-label="Suggestions" className="mt-3 flex flex-wrap gap-2">
      {suggestions.map(({ label, text }) => (
        <Button key={label} size="small" className="font-normal text-ink-2" onClick={() => onChoose(text)}>
          {label}
        </Button>
      ))}
      {latest && (
        <Button
          size="small"
          className="max-w-full min-w-0 font-normal text-ink-2"
          onClick={() => useLayout.getState().openSession(latest.sessionId)}
        >
          <span className="max-w-[260px] truncate">Continue “{latest.title}”</span>
        </Button>
      )}
    </div>
  )
}
