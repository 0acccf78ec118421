import { sentence } from '../../../shared/error-text'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react'
import { PAGE_PATHS } from '../../../shared/contract/page-host'
import { failureFrom } from '../../client/failure-from'
import { shortPath } from '../../format/folder-name'
import { isScratchFolder } from '../../../shared/model/project/scratch-folder'
import { useMissingFolders } from '../../state/session-list/missing-folders'
import { projectsOf, useSessions } from '../../state/session-list/sessions-state'
import { NO_PROJECT } from './start-pills'
import { useAppInfo, useClient, useQueries } from '../../state/page/queries'
import { Button } from '../../ui/button'
import { CONTROL_CLASS } from '../../ui/form/field'

/**
 * The small window of the desktop app that starts a session from anywhere. It closes when the session has started, or
 * with Escape.
 */
export function QuickPrompt() {
  const client = useClient()
  const { data: info } = useAppInfo()
  const state = useSessions()
  const projects = useMemo(
    () => projectsOf(state).flatMap(({ folder }) => (isScratchFolder(folder) ? [] : [folder])),
    [state],
  )
  const [chosen, setChosen] = useState<string>()
  const [text, setText] = useState('')
  const [apart, setApart] = useState(false)
  const queries = useQueries()
  const missing = useMissingFolders(projects.slice(0, 8))
  const recent = projects.filter((path) => !missing.has(path))
  const folder = chosen ?? recent[0] ?? NO_PROJECT

  const { data: offer } = useQuery(
    queries.worktree.offer.queryOptions({ input: { folder }, enabled: folder !== NO_PROJECT, retry: false }),
  )
  const canBeApart = folder !== NO_PROJECT && offer !== undefined && offer.problem === undefined

  /** What an attempt that failed has already done, so that the next one does not do it again. */
  const started = useRef<{ place: string; sessionId: string; sent?: string }>(undefined)
  const start = useMutation({
    mutationFn: async (input: { folder: string; text: string; apart: boolean }) => {
      const about = input.text.slice(0, 10_000)
      const place = `${input.folder}\n${input.apart}`
      if (started.current?.place !== place) {
        const { sessionId } = await client.session.create({
          ...(input.folder !== NO_PROJECT && { folder: input.folder }),
          ...(input.apart && { worktree: { about } }),
        })
        started.current = { place, sessionId }
      }
      const session = started.current
      const { sessionId } = session
      if (session.sent !== input.text) {
        await client.session.prompt({ sessionId, parts: [{ type: 'text', text: input.text }] })
        session.sent = input.text
      }
      await client.desktop.openWindow({ path: `/${PAGE_PATHS.session}/${encodeURIComponent(sessionId)}` })
    },
  })
  useEffect(() => {
    document.title = 'Quick prompt'
    const close = (event: globalThis.KeyboardEvent): void => {
      if (event.key === 'Escape' && !event.isComposing) window.close()
    }
    window.addEventListener('keydown', close)
    return () => window.removeEventListener('keydown', close)
  }, [])

  const submit = (): void => {
    if (text.trim() !== '' && !start.isPending) start.mutate({ folder, text: text.trim(), apart: apart && canBeApart })
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }
  const failure = start.error && failureFrom(start.error)
  return (
    <main className="flex h-dvh flex-col gap-2.5 p-4">
      <h1 className="sr-only">Quick prompt</h1>
      <textarea
        autoFocus
        value={text}
        aria-label="Message"
        placeholder="What would you like to do?"
        dir="auto"
        className={`${CONTROL_CLASS} h-auto min-h-0 flex-1 resize-none py-2 text-lead`}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {failure && (
        <p role="alert" className="line-clamp-2 text-small text-fail-ink">
          {sentence(failure.message)} {failure.advice}
        </p>
      )}
      <div className="flex items-center gap-2.5">
        <select
          aria-label="Project"
          value={folder}
          className={`${CONTROL_CLASS} min-w-0 flex-1`}
          onChange={(event) => setChosen(event.target.value)}
        >
          {recent.map((one) => (
            <option key={one} value={one}>
              {shortPath(one, info?.userHome)}
            </option>
          ))}
          <option value={NO_PROJECT}>No project</option>
        </select>
        {canBeApart && (
          <label className="flex flex-none items-center gap-1.5 text-small text-ink-2">
            <input type="checkbox" checked={apart} onChange={(event) => setApart(event.target.checked)} />
            In a worktree
          </label>
        )}
        <Button
          variant="primary"
          busy={start.isPending}
          disabled={!state.loaded || text.trim() === ''}
          onClick={submit}
        >
          Start session
        </Button>
      </div>
    </main>
  )
}
