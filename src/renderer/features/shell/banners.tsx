import { sentence } from '../../../shared/error-text'
import { Eye, FileWarning, Hourglass, Unplug, History, TriangleAlert } from 'lucide-react'
import { useMutation } from '@tanstack/react-query'
import type { ConfigProblem } from '../../../shared/configuration/settings'
import { shortPath } from '../../format/folder-name'
import { useLayout } from '../../state/page/layout-state'
import { Banner } from '../../ui/notice'
import { Button } from '../../ui/button'
import type { ConnectionState } from '../../client/connection'
import { desktopBridge } from '../../state/page/desktop-bridge'
import { useDesktopView, useClient } from '../../state/page/queries'
import { showFailureToast } from '../../state/page/toasts-state'
import { formatDate } from '../../../shared/language/speak'

/** Warns of problems at startup, and says how they were handled. Each can be dismissed. */
export function StartNotices({ notices }: { notices: readonly string[] }) {
  const dismissed = useLayout((layout) => layout.dismissedNotices)
  return notices
    .filter((notice) => !dismissed.includes(notice))
    .map((notice) => (
      <div key={notice} role="status">
        <Banner
          tone="wait"
          icon={<TriangleAlert role="img" aria-label="Warning" />}
          onDismiss={() => useLayout.getState().dismissNotice(notice)}
        >
          {notice}
        </Banner>
      </div>
    ))
}

/** Says on a paired device that it can only read. */
export function ReadOnlyBanner() {
  return (
    <div role="note" aria-label="Access">
      <Banner tone="plain" icon={<Eye aria-hidden />}>
        This device has read-only access. To make changes, use the computer.
      </Banner>
    </div>
  )
}

/** Reports problems in the configuration with the position of the first one. Disappears when they are fixed. */
export function ConfigBanner({
  problems,
  userHome,
}: {
  problems: readonly ConfigProblem[]
  userHome: string | undefined
}) {
  const view = useLayout((layout) => layout.view)
  const [first] = problems
  if (!first) return null
  const more = problems.length - 1
  return (
    <div role="alert">
      <Banner
        tone="fail"
        icon={<FileWarning aria-hidden />}
        actions={
          (view.kind !== 'settings' || view.section !== 'about') && (
            <Button size="small" onClick={() => useLayout.getState().openSettings('about')}>
              Open settings
            </Button>
          )
        }
      >
        <code className="font-mono text-small">{problemLocation(first, userHome)}</code>{' '}
        {sentence(more > 0 ? `${first.message.replace(/\.$/, '')} (and ${more} more)` : first.message)}{' '}
        <span className="text-ink-2">Until it’s fixed, the last valid settings or the defaults apply.</span>
      </Banner>
    </div>
  )
}

/** `file:line:column`, as in editors. */
export function problemLocation({ file, line, column }: ConfigProblem, userHome: string | undefined): string {
  return [shortPath(file, userHome), line, column].filter((part) => part !== undefined).join(':')
}

interface ConnectionBannerProps {
  connection: ConnectionState
  onReconnect: () => void
}

/** Reports that the engine is unresponsive or unreachable: since when, which attempt, and that typed text is safe. */
export function ConnectionBanner({ connection, onReconnect }: ConnectionBannerProps) {
  const { status, lastMessageAt, attempt, failure, responds } = connection
  if (status === 'open' && !responds) {
    return (
      <div role="status">
        <Banner tone="wait" icon={<Hourglass aria-hidden />}>
          <strong className="font-semibold">Not responding.</strong> Trestle hasn’t answered since{' '}
          {formatDate(lastMessageAt, { timeStyle: 'medium' })}. What you send is kept and arrives when it answers.
        </Banner>
      </div>
    )
  }
  if (status === 'open' || (status === 'connecting' && attempt <= 1)) return null
  if (failure) {
    return (
      <div role="alert">
        <Banner tone="fail" icon={<Unplug aria-hidden />}>
          <strong className="font-semibold">{failure.title}.</strong> {failure.advice}
        </Banner>
      </div>
    )
  }
  // The desktop app shows its window before the engine is ready.
  if (lastMessageAt === 0 && desktopBridge()) {
    return (
      <div role="status">
        <Banner tone="plain" icon={<Hourglass aria-hidden />}>
          <strong className="font-semibold">Starting…</strong> This can take a moment after an update or with many
          sessions.
        </Banner>
      </div>
    )
  }
  const since = lastMessageAt === 0 ? '' : ` since ${formatDate(lastMessageAt, { timeStyle: 'medium' })}`
  return (
    <div role="status">
      <Banner
        tone="wait"
        icon={<Unplug aria-hidden />}
        actions={
          <Button size="small" onClick={onReconnect}>
            Reconnect now
          </Button>
        }
      >
        <strong className="font-semibold">Disconnected{since}.</strong> Retrying, attempt {Math.max(1, attempt)}. What
        you typed is kept.
      </Banner>
    </div>
  )
}

/** Offers to resume the sessions that were working when the app or the computer went down. */
export function InterruptedBanner() {
  const client = useClient()
  const interrupted = useDesktopView()?.interrupted ?? []
  const answer = useMutation({
    mutationFn: (resume: boolean) => client.desktop.resumeInterrupted({ resume }),
    onError: showFailureToast,
  })
  if (interrupted.length === 0) return null
  return (
    <div role="status">
      <Banner
        tone="wait"
        icon={<History aria-hidden />}
        actions={
          <>
            <Button
              size="small"
              variant="primary"
              busy={answer.isPending && answer.variables}
              onClick={() => answer.mutate(true)}
            >
              {interrupted.length === 1 ? 'Resume' : 'Resume all'}
            </Button>
            <Button size="small" disabled={answer.isPending} onClick={() => answer.mutate(false)}>
              Not now
            </Button>
          </>
        }
      >
        {interruptedTitlesText(interrupted.map(({ title }) => title || 'New session'))}
      </Banner>
    </div>
  )
}

function interruptedTitlesText(titles: readonly string[]): string {
  const [first = ''] = titles
  if (titles.length === 1) return `“${first}” was interrupted when Trestle last closed.`
  const named = titles.slice(0, 2).map((title) => `“${title}”`)
  const more = titles.length > 2 ? ` and ${titles.length - 2} more` : ''
  return `${titles.length} sessions were interrupted when Trestle last closed: ${named.join(', ')}${more}.`
}
