import { useQueryClient } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { Failure } from '../../../shared/errors'
import type { McpServerView } from '../../../shared/configuration/customize/mcp'
import { safeLink } from '../../../shared/safe-link'
import { failureFrom } from '../../client/failure-from'
import { showToast } from '../../state/page/toasts-state'
import { useClient } from '../../state/page/queries'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/overlay/dialog'
import { ErrorNote } from '../../ui/notice'
import { Spinner } from '../../ui/loading'
import { hostOf } from './mcp-servers'

interface SignInDialogProps {
  server: McpServerView
  onClose: () => void
}

/**
 * Guides through a sign-in: the page opens in the browser, automatically or by a click, and the dialog waits until it
 * is done.
 */
export function SignInDialog({ server: { serverId, name }, onClose }: SignInDialogProps) {
  const client = useClient()
  const queryClient = useQueryClient()
  const [page, setPage] = useState<{ url: string; opened: boolean }>()
  const [failure, setFailure] = useState<Failure>()
  const [attempt, setAttempt] = useState(0)

  useEffect(() => {
    const stop = new AbortController()
    const run = async (): Promise<void> => {
      for await (const step of await client.mcp.signIn({ serverId }, { signal: stop.signal })) {
        if (stop.signal.aborted) return
        if (step.step === 'open') setPage(step)
        else {
          showToast(`Signed in to ${name}`)
          onClose()
        }
      }
    }
    void run()
      .catch((error: unknown) => {
        if (!stop.signal.aborted) setFailure(failureFrom(error))
      })
      .then(() => queryClient.invalidateQueries({ queryKey: [['mcp']] }))
    return () => stop.abort()
    // The parent's callbacks are new on every render; a sign-in starts once, and again only on request.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [client, queryClient, serverId, attempt])

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Sign in to ${name}`}
      footer={
        <Button variant="quiet" onClick={onClose}>
          {failure ? 'Close' : 'Cancel'}
        </Button>
      }
    >
      {failure ? (
        <ErrorNote
          failure={failure}
          actions={
            <Button
              size="small"
              onClick={() => {
                setFailure(undefined)
                setPage(undefined)
                setAttempt(attempt + 1)
              }}
            >
              Try again
            </Button>
          }
        />
      ) : page ? (
        <div className="space-y-3 pb-1 text-body">
          <p>
            {page.opened ? 'Your browser shows the page of ' : 'Sign in on the page of '}
            <b className="font-semibold wrap-anywhere">{hostOf(page.url)}</b>
            {page.opened ? '. Come back here when you are done.' : ': it opens in a new tab.'}
          </p>
          <Button
            variant={page.opened ? 'default' : 'primary'}
            icon={<ExternalLink aria-hidden />}
            disabled={safeLink(page.url) === undefined}
            onClick={() => void window.open(safeLink(page.url), '_blank', 'noopener,noreferrer')}
          >
            {page.opened ? 'Open again' : 'Open the sign-in page'}
          </Button>
          <p role="status" className="flex items-center gap-2 text-ui text-ink-3">
            <Spinner /> Waiting for the sign-in
          </p>
        </div>
      ) : (
        <p role="status" className="flex items-center gap-2 pb-1 text-ui text-ink-3">
          <Spinner /> Contacting the server
        </p>
      )}
    </Dialog>
  )
}
