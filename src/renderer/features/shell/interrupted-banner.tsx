import { useMutation } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { useDesktopView } from '../../state/desktop-view'
import { tellFailure } from '../../state/toasts-state'
import { useClient } from '../../state/trestle-context'
import { Banner } from '../../ui/banner'
import { Button } from '../../ui/button'

/** Offers to resume the sessions that were working when the app or the computer went down. */
export function InterruptedBanner() {
  const client = useClient()
  const interrupted = useDesktopView()?.interrupted ?? []
  const answer = useMutation({ mutationFn: (resume: boolean) => client.desktop.resumeInterrupted({ resume }), onError: tellFailure })
  if (interrupted.length === 0) return null
  return (
    <div role="status">
      <Banner
        tone="wait"
        icon={<History aria-hidden />}
        actions={
          <>
            <Button size="small" variant="primary" busy={answer.isPending && answer.variables} onClick={() => answer.mutate(true)}>
              {interrupted.length === 1 ? 'Resume' : 'Resume all'}
            </Button>
            <Button size="small" disabled={answer.isPending} onClick={() => answer.mutate(false)}>
              Not now
            </Button>
          </>
        }
      >
        {words(interrupted.map(({ title }) => title || 'New session'))}
      </Banner>
    </div>
  )
}

function words(titles: readonly string[]): string {
  const [first = ''] = titles
  if (titles.length === 1) return `“${first}” was interrupted when Trestle last closed.`
  const named = titles.slice(0, 2).map((title) => `“${title}”`)
  const more = titles.length > 2 ? ` and ${titles.length - 2} more` : ''
  return `${titles.length} sessions were interrupted when Trestle last closed: ${named.join(', ')}${more}.`
}
