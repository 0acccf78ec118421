import { useMutation, useQuery } from '@tanstack/react-query'
import { Pencil, Play, Plus, Webhook } from 'lucide-react'
import { useState } from 'react'
import type { HookRun, HookView } from '../../../../shared/configuration/customize/customizations'
import type { SettingsView } from '../../../../shared/configuration/settings'
import type { AppInfo } from '../../../../shared/contract/app/app'
import { t } from '../../../../shared/language/settings-messages'
import { shortPath } from '../../../format/folder-name'
import { useClient } from '../../../state/page/queries'
import { showFailureToast } from '../../../state/page/toasts-state'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { SectionHead, Switch } from '../../../ui/form/settings-controls'
import { Skeleton } from '../../../ui/loading'
import { MenuItem } from '../../../ui/overlay/menu'
import { EmptyState } from '../../../ui/notice'
import { Problems } from '../frame/problems'
import { RowMenu } from '../edit/row-menu'
import { useEdits, useEditedPlace, type EditedPlace } from '../edit/use-edits'
import { HookDialog } from './hook-dialog'
import { HookRunDetails, HookRuns } from './hook-runs'
import { LoadError } from '../../../ui/load-error'

/** Runs are updated while it is open. */
const REFETCH_MS = 2_000

/** The hooks of the current project, to add and change, and their latest runs. */
export function HooksSection({ settings, info }: { settings: SettingsView; info: AppInfo | undefined }) {
  const client = useClient()
  const place = useEditedPlace(info)
  const { folder } = place
  const [edited, setEdited] = useState<HookView | 'new'>()
  const query = useQuery({
    queryKey: ['hooks', folder],
    queryFn: () => client.hook.list({ folder: folder ?? '' }),
    enabled: folder !== undefined,
    refetchInterval: REFETCH_MS,
  })
  const { data, error } = query
  const mistakes = settings.problems.filter(({ message }) => /\[hooks\.\d+\]|\[\[hooks\]\]/.test(message))
  return (
    <section aria-labelledby="settings-hooks">
      <SectionHead
        id="settings-hooks"
        title={t('hooks.title')}
        text={t('hooks.text', { place: folder === undefined ? 'here' : `in ${place.name}` })}
      >
        <Button icon={<Plus aria-hidden />} onClick={() => setEdited('new')}>
          {t('hooks.add')}
        </Button>
      </SectionHead>
      {mistakes.length > 0 && (
        <div className="mb-3.5">
          <Problems problems={mistakes} />
        </div>
      )}
      {data ? (
        <>
          <HookList hooks={data.hooks} place={place} onEdit={setEdited} />
          <HookRuns runs={data.runs} userHome={place.userHome} />
        </>
      ) : error ? (
        <LoadError query={query} />
      ) : (
        <Skeleton className="h-16 w-full rounded-lg" />
      )}
      {edited && (
        <HookDialog hook={edited === 'new' ? undefined : edited} place={place} onClose={() => setEdited(undefined)} />
      )}
    </section>
  )
}

interface HookListProps {
  hooks: readonly HookView[]
  place: EditedPlace
  onEdit: (hook: HookView) => void
}

function HookList({ hooks, place, onEdit }: HookListProps) {
  if (hooks.length === 0) {
    return (
      <EmptyState
        icon={<Webhook aria-hidden />}
        title={t('hooks.none')}
        className="rounded-lg border border-dashed border-line-strong"
      >
        {t('hooks.noneHint')}
      </EmptyState>
    )
  }
  return (
    <ul aria-label={t('hooks.title')} className="overflow-hidden rounded-lg border border-line bg-raised">
      {hooks.map((hook, at) => {
        const near = (other: HookView | undefined) =>
          other && !other.plugin && other.scope === hook.scope ? other.index : undefined
        return (
          <HookRow
            key={`${hook.file} ${hook.index} ${hook.event} ${hook.command}`}
            hook={hook}
            place={place}
            before={near(hooks[at - 1])}
            after={near(hooks[at + 1])}
            onEdit={() => onEdit(hook)}
          />
        )
      })}
    </ul>
  )
}

interface HookRowProps {
  hook: HookView
  place: EditedPlace
  /** Positions of its neighbors in the same file. */
  before: number | undefined
  after: number | undefined
  onEdit: () => void
}

function HookRow({ hook, place, before, after, onEdit }: HookRowProps) {
  const client = useClient()
  const edits = useEdits()
  const { scope, index, event, command, matcher } = hook
  const folder = place.folder ?? ''
  const at = { scope, index, event, command }
  const name = `${event}${matcher === undefined ? '' : ` ${matcher}`}`
  const canEdit = hook.plugin === undefined && (scope === 'user' || place.canEditProject === true)
  const [tried, setTried] = useState<HookRun>()
  const test = useMutation({
    mutationFn: () => client.customize.testHook({ folder, place: at }),
    onSuccess: setTried,
    onError: showFailureToast,
  })
  const move = (to: number | undefined) =>
    to === undefined
      ? undefined
      : () => edits.run(t('hooks.moved'), client.customize.moveHook({ folder, place: at, to }))
  const setEnabled = (enabled: boolean): void =>
    edits.run(
      t('hooks.saved'),
      client.customize.changeHook({
        folder,
        place: at,
        hook: {
          event,
          ...(matcher !== undefined && { matcher }),
          command,
          timeoutS: hook.timeoutMs / 1000,
          ...(hook.sandbox && scope === 'user' && { sandbox: hook.sandbox }),
          isOff: !enabled,
        },
      }),
    )
  return (
    <li className="border-t border-line px-3.5 py-2.5 first:border-t-0">
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-2 text-ui">
            <span className="font-medium">{event}</span>
            {matcher !== undefined && <code className="font-mono text-small wrap-anywhere text-ink-2">{matcher}</code>}
            <Badge>{hook.plugin ?? (scope === 'project' ? t('edit.project') : t('edit.personal'))}</Badge>
            {hook.isOff && <Badge tone="wait">{t('edit.off')}</Badge>}
          </p>
          <p className="font-mono text-small wrap-anywhere whitespace-pre-wrap text-ink-2">{command}</p>
          <p className="text-tiny wrap-anywhere text-ink-3">
            <span className="font-mono">
              {shortPath(hook.file, place.userHome)}
              {hook.line !== undefined && `:${hook.line}`}
            </span>
            {` · at most ${hook.timeoutMs / 1000} s`}
            {hook.sandbox && ' · Project sandbox'}
          </p>
        </div>
        {canEdit && (
          <div className="flex flex-none items-center gap-1">
            <Switch
              label={<span className="sr-only">{t('hooks.enabled', { name })}</span>}
              checked={!hook.isOff}
              onChange={setEnabled}
            />
            <RowMenu
              name={name}
              onMoveUp={move(before)}
              onMoveDown={move(after)}
              onDelete={() => edits.run(t('hooks.removed'), client.customize.removeHook({ folder, place: at }))}
            >
              <MenuItem icon={<Pencil aria-hidden />} onSelect={onEdit}>
                {t('edit.edit')}
              </MenuItem>
              <MenuItem icon={<Play aria-hidden />} disabled={test.isPending} onSelect={() => test.mutate()}>
                {t('hooks.try')}
              </MenuItem>
            </RowMenu>
          </div>
        )}
      </div>
      <div role="status">
        {tried && (
          <div className="mt-2 rounded-md border border-line bg-paper">
            <p className="px-3.5 pt-2 text-tiny font-semibold text-ink-3">{t('hooks.tried')}</p>
            <HookRunDetails run={tried} userHome={place.userHome} isOpen />
          </div>
        )}
      </div>
    </li>
  )
}
