import { Sparkles } from 'lucide-react'
import { useState } from 'react'
import { GIT_LIMITS, type GitStatus } from '../../../../shared/model/project/git'
import { useClient } from '../../../state/page/queries'
import { showFailureToast, showToast } from '../../../state/page/toasts-state'
import { Button } from '../../../ui/button'
import { useGit } from '../git-context'
import { CommitTexts } from './commit-text'
import { pageDrafts } from '../../../state/drafts/page-drafts'
import { cx } from '../../../ui/cx'

const texts = new CommitTexts(pageDrafts)

/** The message of the next commit, written by the user or drafted by a model, and the commit. */
export function CommitBox({ status }: { status: GitStatus }) {
  const { sessionId, run, busy } = useGit()
  const client = useClient()
  const { message, amend } = texts.use(sessionId)
  const [hooks, setHooks] = useState<string>()
  const { staged, unstaged, conflicts, commit } = status
  const write = (text: string): void => texts.write(sessionId, text)
  const all = staged.length === 0 && unstaged.length > 0 && !amend
  const hasContent = staged.length > 0 || unstaged.length > 0 || amend || status.operation?.kind === 'merge'
  const ready = message.trim() !== '' && conflicts.length === 0 && hasContent

  const doCommit = (): void => {
    if (!ready) return
    setHooks(undefined)
    void run('Committing', async (git, signal) => {
      const { hash, subject, output } = await git.commit({ sessionId, message, amend, all }, { signal })
      // Text typed during the commit belongs to the next one.
      if (texts.of(sessionId).message === message) write('')
      texts.switchAmend(sessionId, false)
      if (output !== '') setHooks(output)
      showToast(`Committed ${hash.slice(0, 8)} ${subject}`)
    })
  }
  const changeAmend = (on: boolean): void => {
    texts.switchAmend(sessionId, on)
    if (!on || message.trim() !== '') return
    client.git.lastMessage({ sessionId }).then((last) => texts.switchAmend(sessionId, true, last), showFailureToast)
  }
  const draft = (): void =>
    void run('Drafting', async (git, signal) => {
      const drafted = await git.draftMessage({ sessionId }, { signal })
      const before = texts.of(sessionId).message
      write(drafted)
      if (before.trim() !== '')
        showToast('Your message was replaced by the draft', { label: 'Undo', run: () => write(before) })
    })

  return (
    <form
      aria-label="Commit"
      className="flex flex-none flex-col gap-2 border-t border-line p-2"
      onSubmit={(event) => {
        event.preventDefault()
        doCommit()
      }}
    >
      <textarea
        aria-label="Commit message"
        placeholder="Commit message"
        value={message}
        rows={3}
        maxLength={GIT_LIMITS.messageChars}
        onChange={(event) => write(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
          event.preventDefault()
          doCommit()
        }}
        className={cx(
          'max-h-[220px] min-h-[64px] w-full resize-y rounded-md border',
          'border-line-strong bg-raised px-2.5 py-1.5 font-mono text-small text-ink',
        )}
      />
      {commit !== undefined && status.branch === undefined && status.operation === undefined && (
        <p className="text-small text-wait-ink">
          No branch is checked out. To keep what you commit here, create a branch under Branches.
        </p>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          size="small"
          variant="quiet"
          icon={<Sparkles aria-hidden />}
          busy={busy === 'Drafting'}
          disabled={staged.length + unstaged.length === 0}
          onClick={draft}
        >
          Draft message
        </Button>
        <label className="flex items-center gap-1.5 text-small text-ink-2">
          <input
            type="checkbox"
            checked={amend}
            disabled={commit === undefined}
            onChange={(event) => changeAmend(event.target.checked)}
          />
          Amend
        </label>
        <span className="flex-1" />
        <Button
          type="submit"
          size="small"
          variant="primary"
          kbd="Mod+Enter"
          busy={busy === 'Committing'}
          disabled={!ready}
        >
          {amend ? 'Amend commit' : all ? 'Commit all' : 'Commit'}
        </Button>
      </div>
      {hooks !== undefined && (
        <details open className="text-small text-ink-2">
          <summary>Output of the hooks</summary>
          <pre
            tabIndex={0}
            aria-label="Output of the hooks"
            className="mt-1 max-h-[160px] overflow-auto rounded-md bg-sunken px-2 py-1 font-mono text-tiny"
          >
            {hooks}
          </pre>
        </details>
      )}
    </form>
  )
}
