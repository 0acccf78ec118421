import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CheckCircle2, CircleAlert, Mail, Plus } from 'lucide-react'
import { useState } from 'react'
import { isFeatureOn } from '../../../../shared/configuration/features'
import type { SettingsView } from '../../../../shared/configuration/settings'
import type { MailAccountView, MailCheck } from '../../../../shared/model/assistant/mail'
import { failureFrom } from '../../../client/failure-from'
import { useLayout } from '../../../state/page/layout-state'
import { useClient, useQueries, useSettingsChange } from '../../../state/page/queries'
import { showFailureToast, showToast } from '../../../state/page/toasts-state'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { SectionHead } from '../../../ui/form/settings-controls'
import { Skeleton } from '../../../ui/loading'
import { Banner, EmptyState, ErrorNote } from '../../../ui/notice'
import { Problems } from '../frame/problems'
import { MailAccountForm } from './mail-account-form'
import { LoadError } from '../../../ui/load-error'

/** The mail accounts: their servers and passwords, with a test that reports problems. */
export function MailSection({ settings }: { settings: SettingsView }) {
  const queries = useQueries()
  const [editing, setEditing] = useState<{ account: MailAccountView | undefined }>()
  const [saved, setSaved] = useState<{ id: string; time: number }>()
  const query = useQuery(queries.mail.accounts.queryOptions())
  const { data: accounts, error } = query
  const queryClient = useQueryClient()
  const turnOn = useSettingsChange((api, enabled: boolean) => api.setFeature({ feature: 'mail', enabled }))
  const mistakes = settings.problems.filter(({ message }) => message.includes('[mail'))
  return (
    <section aria-labelledby="settings-mail">
      <SectionHead
        id="settings-mail"
        title="Mail"
        text="Agents can search and read mail in these accounts. Sending always asks first and shows the whole message."
      >
        <Button icon={<Plus aria-hidden />} onClick={() => setEditing({ account: undefined })}>
          Add account
        </Button>
      </SectionHead>
      {!isFeatureOn(settings, 'mail') && accounts && accounts.length > 0 && (
        <div className="mb-3.5 overflow-hidden rounded-lg border border-line">
          <Banner
            tone="plain"
            actions={
              <Button
                size="small"
                busy={turnOn.isPending}
                onClick={() => turnOn.mutate(true, { onError: showFailureToast })}
              >
                Turn on
              </Button>
            }
          >
            Mail is off: agents cannot use these accounts.
          </Banner>
        </div>
      )}
      {mistakes.length > 0 && (
        <div className="mb-3.5">
          <Problems problems={mistakes} />
        </div>
      )}
      {error ? (
        <LoadError query={query} />
      ) : !accounts ? (
        <Skeleton className="h-16 w-full rounded-lg" />
      ) : accounts.length === 0 ? (
        <EmptyState
          icon={<Mail aria-hidden />}
          title="No mail accounts"
          className="rounded-lg border border-dashed border-line-strong"
        >
          Add one with its address and an app password. The servers of common providers are filled in for you.
        </EmptyState>
      ) : (
        <ul aria-label="Mail accounts" className="overflow-hidden rounded-lg border border-line bg-raised">
          {accounts.map((account) => (
            <Account
              key={account.id}
              account={account}
              savedAt={saved?.id === account.id ? saved.time : undefined}
              onEdit={() => setEditing({ account })}
            />
          ))}
        </ul>
      )}
      {editing && (
        <MailAccountForm
          account={editing.account}
          taken={accounts?.map(({ id }) => id) ?? []}
          keys={settings.keys}
          onClose={() => setEditing(undefined)}
          onSaved={({ id }) => {
            setEditing(undefined)
            setSaved({ id, time: Date.now() })
            void queryClient.invalidateQueries({ queryKey: [['mail']] })
          }}
        />
      )}
      <p className="mt-2 px-0.5 text-small text-ink-3">
        Agents can use these accounts while mail is on in{' '}
        <button type="button" className="underline" onClick={() => useLayout.getState().openSettings('general')}>
          Features
        </button>
        . Messages are read without marking them as read.
      </p>
    </section>
  )
}

interface AccountProps {
  account: MailAccountView
  /** When it was saved in this form; it is then tested immediately. */
  savedAt: number | undefined
  onEdit: () => void
}

function Account({ account, savedAt, onEdit }: AccountProps) {
  const { id, address, imap, smtp, password } = account
  const client = useClient()
  const queryClient = useQueryClient()
  const refresh = (): Promise<void> => queryClient.invalidateQueries({ queryKey: [['mail', 'accounts']] })
  const [isAsked, setAsked] = useState(false)
  const test = useQuery({
    queryKey: ['mail-test', account, savedAt],
    queryFn: () => client.mail.test({ id }),
    enabled: savedAt !== undefined || isAsked,
    staleTime: Infinity,
    retry: false,
  })
  const restore = (): void =>
    void client.mail.restore({ id }).then(() => {
      showToast(`Restored ${id}`)
      return refresh()
    }, showFailureToast)
  const remove = useMutation({
    mutationFn: () => client.mail.remove({ id }),
    onSuccess: () => {
      showToast(`Removed ${id}`, { label: 'Undo', run: restore })
      return refresh()
    },
    onError: showFailureToast,
  })
  return (
    <li className="border-t border-line px-3.5 py-2.5 first:border-t-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <div className="min-w-[180px] flex-1">
          <p className="flex flex-wrap items-center gap-2">
            <span className="font-medium wrap-anywhere">{address}</span>
            <PasswordState password={password} />
          </p>
          <p className="text-small wrap-anywhere text-ink-3">
            {id} ·{' '}
            <span className="font-mono text-tiny">
              {imap.host}:{imap.port}, {smtp.host}:{smtp.port}
            </span>
          </p>
        </div>
        <div className="flex gap-1">
          <Button
            variant="quiet"
            size="small"
            aria-label={`Test ${id}`}
            busy={test.isFetching}
            onClick={() => (test.isEnabled ? void test.refetch() : setAsked(true))}
          >
            Test
          </Button>
          <Button variant="quiet" size="small" aria-label={`Edit ${id}`} onClick={onEdit}>
            Edit
          </Button>
          <Button
            variant="quiet"
            size="small"
            aria-label={`Remove ${id}`}
            busy={remove.isPending}
            onClick={() => remove.mutate()}
          >
            Remove
          </Button>
        </div>
      </div>
      <div role="status" aria-label={`Test of ${id}`}>
        {test.isFetching ? (
          <p className="mt-1.5 text-small text-ink-3">Signing in…</p>
        ) : (
          test.data && <Checks checks={test.data.checks} />
        )}
      </div>
      {test.error && !test.isFetching && <ErrorNote failure={failureFrom(test.error)} className="mt-2" />}
    </li>
  )
}

function PasswordState({ password }: Pick<MailAccountView, 'password'>) {
  if (password === 'stored') return <Badge tone="done">password stored</Badge>
  return password === 'locked' ? <Badge tone="wait">password locked</Badge> : <Badge tone="wait">no password</Badge>
}

const CHECK_LABELS: Record<MailCheck['what'], string> = {
  password: 'Password',
  imap: 'Reading',
  folders: 'Folders',
  smtp: 'Sending',
}

/** The results of a test, with advice. */
function Checks({ checks }: { checks: readonly MailCheck[] }) {
  return (
    <ul className="mt-2 space-y-1 text-small">
      {checks.map(({ what, ok, message, advice }) => (
        <li key={what} className="flex items-start gap-1.5">
          {ok ? (
            <CheckCircle2 aria-label="Works" className="mt-[3px] size-[13px] flex-none text-done-ink" />
          ) : (
            <CircleAlert aria-label="Failed" className="mt-[3px] size-[13px] flex-none text-fail-ink" />
          )}
          <span className="min-w-0 wrap-anywhere">
            <span className="font-medium">{CHECK_LABELS[what]}:</span> {message}{' '}
            {advice !== undefined && <span className="text-ink-2">{advice}</span>}
          </span>
        </li>
      ))}
    </ul>
  )
}
