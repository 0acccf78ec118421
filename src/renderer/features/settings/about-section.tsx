import { Copy } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { AppInfo } from '../../../shared/contract/app/app'
import type { SettingsView } from '../../../shared/configuration/settings'
import { Logo } from '../../ui/logo'
import { SettingsSection } from '../../ui/form/settings-controls'
import { UpdatesPart } from './updates-part'
import { showToast, showFailureToast } from '../../state/page/toasts-state'
import { IconButton, Button } from '../../ui/button'
import { failureFrom } from '../../client/failure-from'
import { useClient, useQueries } from '../../state/page/queries'
import type { BackupsView } from '../../../shared/configuration/app'
import { Dialog } from '../../ui/overlay/dialog'
import { ErrorNote } from '../../ui/notice'
import { Problems } from './frame/problems'
import { Skeleton } from '../../ui/loading'
import { cx } from '../../ui/cx'
import { formatDate } from '../../../shared/language/speak'

/** The names of systems; others keep Node's. */
const SYSTEMS: Readonly<Record<string, string>> = { linux: 'Linux', darwin: 'macOS', win32: 'Windows' }

/** The version of Trestle, where it stores data, and the problems in the configuration file. */
export function AboutSection({ settings, info }: { settings: SettingsView; info: AppInfo | undefined }) {
  return (
    <div className="space-y-9">
      <SettingsSection id="settings-about" title="About">
        <dl className="overflow-hidden rounded-lg border border-line bg-raised">
          <AboutRow name="Version">
            <span className="flex items-center gap-2">
              <Logo /> Trestle {info?.version ?? '…'}
            </span>
          </AboutRow>
          {info && (
            <AboutRow name="Runs as">
              {info.host === 'electron' ? 'Desktop app' : 'Web host'} on {SYSTEMS[info.platform] ?? info.platform}
            </AboutRow>
          )}
          {info && <PathRow name="Home folder" path={info.home} />}
          <PathRow name="Configuration file" path={settings.file} />
          <BackupsRows />
          <LicensesRow />
        </dl>
        <p className="mt-2 text-small text-ink-3">
          Edits to the file take effect immediately. Changes made here keep its comments and order.
        </p>
      </SettingsSection>
      <UpdatesPart />
      <SettingsSection id="settings-problems" title="Configuration">
        {settings.problems.length === 0 ? (
          <p className="text-ui text-ink-2">No problems in config.toml</p>
        ) : (
          <Problems problems={settings.problems} />
        )}
      </SettingsSection>
    </div>
  )
}

/** A row of a property list. */
function AboutRow({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex min-h-[38px] flex-wrap items-center gap-x-4 border-t border-line px-3.5 py-1 first:border-t-0">
      <dt className="w-[150px] flex-none text-ink-2">{name}</dt>
      <dd className="min-w-0 flex-1">{children}</dd>
    </div>
  )
}

/** A path with a copy button. */
function PathRow({ name, path }: { name: string; path: string }) {
  return (
    <AboutRow name={name}>
      <span className="flex items-center gap-1">
        <span className="min-w-0 flex-1 font-mono text-small wrap-anywhere">{path}</span>
        <IconButton
          label={`Copy the path of the ${name.toLowerCase()}`}
          onClick={() =>
            void navigator.clipboard.writeText(path).then(() => showToast('Path copied'), showFailureToast)
          }
        >
          <Copy aria-hidden />
        </IconButton>
      </span>
    </AboutRow>
  )
}

/** The backups of the sessions: number, size, age, and location; and a button that creates one. */
function BackupsRows() {
  const queries = useQueries()
  const client = useClient()
  const queryClient = useQueryClient()
  // Any running Trestle creates one every day, so cached data may be old.
  const { data: backups, error, dataUpdatedAt } = useQuery(queries.app.backups.queryOptions({ staleTime: 0 }))
  const backUp = useMutation({
    mutationFn: () => client.app.backUp(),
    onSuccess: (view) => {
      queryClient.setQueryData(queries.app.backups.queryKey(), view)
      showToast('Backup created')
    },
    onError: showFailureToast,
  })
  return (
    <>
      <AboutRow name="Backups">
        <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
          <span className="min-w-0 flex-1 basis-[180px]">
            {error ? failureFrom(error).message : backups ? backupsSummary(backups, dataUpdatedAt) : '…'}
          </span>
          <Button size="small" busy={backUp.isPending} onClick={() => backUp.mutate()}>
            Back up now
          </Button>
        </span>
      </AboutRow>
      {backups && <PathRow name="Backups folder" path={backups.folder} />}
    </>
  )
}

const DAY_MS = 24 * 60 * 60 * 1000

/** E.g. `7 · 120 MB · newest today 14:03`. */
export function backupsSummary({ count, bytes, newestAt }: BackupsView, now: number): string {
  if (count === 0 || newestAt === undefined) return 'No backups yet. One is created every day.'
  return [
    String(count),
    size(bytes),
    `newest ${dayOf(newestAt, now)} ${formatDate(newestAt, { timeStyle: 'short' })}`,
  ].join(' · ')
}

function size(bytes: number): string {
  const megabytes = bytes / 1_000_000
  if (megabytes < 1) return `${Math.max(1, Math.round(bytes / 1000))} KB`
  return megabytes < 1000 ? `${Math.round(megabytes)} MB` : `${(megabytes / 1000).toFixed(1)} GB`
}

function dayOf(at: number, now: number): string {
  const day = new Date(at)
  if (day.toDateString() === new Date(now).toDateString()) return 'today'
  if (day.toDateString() === new Date(now - DAY_MS).toDateString()) return 'yesterday'
  return formatDate(day, { day: 'numeric', month: 'short', year: 'numeric' })
}

/** Placed beside the page by the build (scripts/licenses/third-party-licenses.ts). */
const TEXTS = [
  { file: 'LICENSE.txt', label: 'License', title: 'Trestle license' },
  { file: 'NOTICE.txt', label: 'Notice', title: 'Notice' },
  { file: 'third-party-licenses.txt', label: 'Third-party licenses', title: 'Third-party licenses' },
] as const

type LicenseText = (typeof TEXTS)[number]

/** Buttons that show Trestle's own license and those of its dependencies. */
function LicensesRow() {
  const [shown, setShown] = useState<LicenseText>()
  return (
    <AboutRow name="License">
      <span className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1">
        <span>Apache-2.0</span>
        <span className="flex flex-wrap gap-1.5">
          {TEXTS.map((text) => (
            <Button key={text.file} size="small" onClick={() => setShown(text)}>
              {text.label}
            </Button>
          ))}
        </span>
      </span>
      <Dialog
        open={shown !== undefined}
        onOpenChange={(open) => !open && setShown(undefined)}
        title={shown?.title ?? ''}
        width={760}
      >
        {shown && <LicenseTextView file={shown.file} />}
      </Dialog>
    </AboutRow>
  )
}

function LicenseTextView({ file }: { file: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['license-text', file],
    queryFn: () => loadText(file),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  if (error) {
    const failure = {
      title: 'Couldn’t load the text',
      message: error.message,
      advice: 'The texts are also in the files of the same names in the source code.',
    }
    return <ErrorNote failure={failure} actions={<Button onClick={() => void refetch()}>Try again</Button>} />
  }
  if (data === undefined) return <Skeleton className="h-40" />
  return (
    // A long text scrolls by keyboard only when it can have the focus.
    <div tabIndex={0} role="document" aria-label="License text" className="space-y-4 pb-2 outline-none">
      {sectionsOf(data).map((section, index) => (
        <pre
          key={index}
          className={cx(
            'font-mono text-small wrap-anywhere whitespace-pre-wrap text-ink-2',
            '[contain-intrinsic-height:auto_400px] [content-visibility:auto]',
          )}
        >
          {section}
        </pre>
      ))}
    </div>
  )
}

async function loadText(file: string): Promise<string> {
  const response = await fetch(`/licenses/${file}`)
  if (!response.ok) throw new Error(`${file} is missing from this build.`)
  return response.text()
}

/** One section per license, so that only those on screen are laid out. */
function sectionsOf(text: string): string[] {
  return text.split(/\n-{80}\n/).map((section) => section.trim())
}
