import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ShellEnvironmentView } from '../../../shared/model/shell-environment'
import { useSettingsChange } from '../../state/settings-query'
import { tellFailure } from '../../state/toasts-state'
import { useClient, useQueries } from '../../state/trestle-context'
import { Badge, type Tone } from '../../ui/badge'
import { Button } from '../../ui/button'
import { SectionHead } from '../../ui/section-head'
import { Switch } from '../../ui/switch'

const STATES: Readonly<Record<ShellEnvironmentView['state'], { badge: string; tone: Tone; meaning: string }>> = {
  inherited: { badge: 'Inherited', tone: 'done', meaning: 'Commands use the environment of the terminal or program that started Trestle.' },
  off: { badge: 'Off', tone: 'plain', meaning: 'Commands use only what the desktop gives to programs.' },
  reading: { badge: 'Reading…', tone: 'run', meaning: 'Commands wait until your shell has started.' },
  ready: { badge: 'Ready', tone: 'done', meaning: 'Commands use the environment of your login shell.' },
  failed: { badge: 'Failed', tone: 'fail', meaning: 'Commands use only what the desktop gives to programs.' },
}

/** Where PATH and the other variables of commands come from, and how to read them again. */
export function ShellEnvironmentPart() {
  const queries = useQueries()
  const client = useClient()
  const queryClient = useQueryClient()
  const key = queries.app.shellEnvironment.queryKey()
  const { data: view } = useQuery(
    queries.app.shellEnvironment.queryOptions({
      staleTime: 0,
      // Nothing tells when a reading has ended in the background.
      refetchInterval: ({ state }) => (state.data?.state === 'reading' ? 500 : false),
    }),
  )
  const read = useMutation({
    mutationFn: () => client.app.readShellEnvironment(),
    onSuccess: (next) => queryClient.setQueryData(key, next),
    onError: tellFailure,
  })
  const enable = useSettingsChange((api, enabled: boolean) => api.setLoginShell({ enabled }))
  const { badge, tone, meaning } = STATES[view?.state ?? 'reading']
  return (
    <section aria-labelledby="settings-environment">
      <SectionHead
        id="settings-environment"
        title="Shell environment"
        text="Where commands, MCP servers and hooks get PATH and other variables."
      >
        {view && view.state !== 'inherited' && view.state !== 'off' && (
          <Button size="small" busy={read.isPending} onClick={() => read.mutate()}>
            Read again
          </Button>
        )}
      </SectionHead>
      <div className="overflow-hidden rounded-lg border border-line bg-raised text-ui">
        <div className="px-3.5 py-2.5" role="status">
          <p className="flex flex-wrap items-center gap-2">
            <span className="font-medium wrap-anywhere">{view?.shell ?? 'Environment'}</span>
            <Badge tone={tone}>{badge}</Badge>
            {view?.state === 'ready' && (
              <span className="text-small text-ink-3">
                {view.variables} variables in {view.durationMs} ms
              </span>
            )}
          </p>
          <p className="mt-1 text-small text-ink-2">{meaning}</p>
          {view?.problem !== undefined && <p className="mt-1 text-small wrap-anywhere text-fail-ink">{view.problem}</p>}
          {view?.advice !== undefined && <p className="mt-1 text-small wrap-anywhere text-ink-2">{view.advice}</p>}
        </div>
        <details className="border-t border-line px-3.5 py-2">
          <summary className="cursor-default text-ink-2 hover:text-ink">
            PATH <span className="text-small text-ink-3">{view?.path.length ?? 0} folders</span>
          </summary>
          <ol aria-label="Folders of PATH" className="mt-1.5 font-mono text-small text-ink-2">
            {view?.path.map((folder, index) => (
              <li key={index} className="wrap-anywhere">
                {folder}
              </li>
            ))}
          </ol>
        </details>
        {view && (
          <Switch
            label="Use the environment of your login shell"
            description="Applies when the desktop app isn’t started from a terminal."
            checked={enable.isPending ? enable.variables : view.enabled}
            onChange={(enabled) =>
              enable.mutate(enabled, { onError: tellFailure, onSuccess: () => void queryClient.invalidateQueries({ queryKey: key }) })
            }
            className="border-t border-line px-3.5 py-2"
          />
        )}
      </div>
    </section>
  )
}
