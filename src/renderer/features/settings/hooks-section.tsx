import { useQuery } from '@tanstack/react-query'
import { Webhook } from 'lucide-react'
import type { AppInfo } from '../../../shared/contract/app'
import type { HookView } from '../../../shared/model/hook'
import type { SettingsView } from '../../../shared/model/settings'
import { failureFrom } from '../../client/failure-from'
import { folderName, shortPath } from '../../state/folder-name'
import { useLayout } from '../../state/layout-state'
import { useSessions } from '../../state/sessions-state'
import { useClient } from '../../state/trestle-context'
import { Badge } from '../../ui/badge'
import { EmptyState } from '../../ui/empty-state'
import { ErrorNote } from '../../ui/error-note'
import { Skeleton } from '../../ui/skeleton'
import { Problems } from './about-section'
import { HookRuns } from './hook-runs'
import { SectionHead } from '../../ui/section-head'

/** While it is looked at, runs come and go. */
const LOOK_AGAIN_MS = 2_000

/** The hooks that count in the project on screen, and what the newest runs did. */
export function HooksSection({ settings, info }: { settings: SettingsView; info: AppInfo | undefined }) {
  const client = useClient()
  const lastSessionId = useLayout((layout) => layout.lastSessionId)
  const folder =
    useSessions((state) => (lastSessionId === undefined ? undefined : state.sessions.get(lastSessionId)?.folder)) ?? info?.userHome
  const { data, error } = useQuery({
    queryKey: ['hooks', folder],
    queryFn: () => client.hook.list({ folder: folder ?? '' }),
    enabled: folder !== undefined,
    refetchInterval: LOOK_AGAIN_MS,
  })
  const mistakes = settings.problems.filter(({ message }) => /\[hooks\.\d+\]|\[\[hooks\]\]/.test(message))
  const where = folder === undefined ? 'here' : `in ${folderName(folder, info?.userHome).name}`
  return (
    <section aria-labelledby="settings-hooks">
      <SectionHead id="settings-hooks" title="Hooks" text={`Your commands, run on agent events ${where}. Some can block actions.`} />
      {mistakes.length > 0 && (
        <div className="mb-3.5">
          <Problems problems={mistakes} />
        </div>
      )}
      {data ? (
        <>
          <HookList hooks={data.hooks} userHome={info?.userHome} />
          <HookRuns runs={data.runs} userHome={info?.userHome} />
        </>
      ) : error ? (
        <ErrorNote failure={failureFrom(error)} />
      ) : (
        <Skeleton className="h-16 w-full rounded-lg" />
      )}
    </section>
  )
}

function HookList({ hooks, userHome }: { hooks: readonly HookView[]; userHome: string | undefined }) {
  if (hooks.length === 0) {
    return (
      <EmptyState icon={<Webhook aria-hidden />} title="No hooks" className="rounded-lg border border-dashed border-line-strong">
        Add [[hooks]] with an event and a command to config.toml. Project hooks apply once you trust the folder.
      </EmptyState>
    )
  }
  return (
    <ul aria-label="Hooks" className="overflow-hidden rounded-lg border border-line bg-raised">
      {hooks.map((hook, n) => (
        <li key={n} className="border-t border-line px-3.5 py-2.5 first:border-t-0">
          <p className="flex flex-wrap items-center gap-2 text-ui">
            <span className="font-medium">{hook.event}</span>
            {hook.matcher !== undefined && <code className="font-mono text-small wrap-anywhere text-ink-2">{hook.matcher}</code>}
            <Badge>{hook.scope === 'project' ? 'Project' : 'Personal'}</Badge>
          </p>
          <p className="font-mono text-small wrap-anywhere whitespace-pre-wrap text-ink-2">{hook.command}</p>
          <p className="text-tiny wrap-anywhere text-ink-3">
            <span className="font-mono">
              {shortPath(hook.file, userHome)}
              {hook.line !== undefined && `:${hook.line}`}
            </span>
            {` · at most ${hook.timeoutMs / 1000} s`}
            {hook.sandbox && ' · Project sandbox'}
          </p>
        </li>
      ))}
    </ul>
  )
}
