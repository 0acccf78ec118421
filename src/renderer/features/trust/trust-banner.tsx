import './trust.css'
import { ShieldAlert } from 'lucide-react'
import { useId } from 'react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { TrustView, TrustPart } from '../../../shared/configuration/customize/customizations'
import { Button } from '../../ui/button'
import { ChipButton } from '../../ui/chip'
import { Tooltip } from '../../ui/tooltip'
import { shortPath } from '../../format/folder-name'
import { DiffView } from '../../ui/code/diff-view'
import { failureFrom } from '../../client/failure-from'
import { showToast, showFailureToast } from '../../state/page/toasts-state'
import { useClient, useQueries } from '../../state/page/queries'

interface TrustBannerProps {
  view: TrustView
  userHome: string | undefined
  /** Opened by its mark, after it was dismissed. */
  reopened: boolean
  onClose: () => void
}

const TRUST_TEXT = {
  asked: {
    title: 'This project has its own settings',
    text: 'They’re off until you trust this folder. Review them: they can run commands without asking.',
    action: 'Trust folder',
  },
  changed: {
    title: 'This project’s settings have changed since you trusted them',
    text:
      'Review the changes to trust it again. ' +
      'Until then, its settings allow nothing; restrictions you accepted still apply.',
    action: 'Trust new settings',
  },
  refused: {
    title: 'Project settings are off',
    text: 'You didn’t trust this folder. You’ll be asked again if its settings change.',
    action: 'Trust folder',
  },
}

/** Asks, without blocking anything, whether to enable a project's own configuration. */
export function TrustBanner({ view, userHome, reopened, onClose }: TrustBannerProps) {
  const { state } = view
  const decision = useTrustDecision()
  const titleId = useId()
  if (state === 'nothing' || state === 'trusted' || (state === 'refused' && !reopened)) return null
  const words = TRUST_TEXT[state]
  const decide = (trusted: boolean): void => decision.mutate({ view, trusted }, { onSuccess: onClose })
  return (
    <section className="trust" aria-labelledby={titleId}>
      <div>
        <div className="trust-head">
          <ShieldAlert aria-hidden />
          <div className="min-w-0 flex-1">
            <h2 id={titleId}>{words.title}</h2>
            <p className="text-ink-2">{words.text}</p>
          </div>
        </div>
        {view.problem !== undefined && (
          <p className="trust-problem">Your earlier decision cannot be read, so nothing is trusted: {view.problem}</p>
        )}
        <TrustParts view={view} userHome={userHome} />
        <div className="trust-acts">
          <Button busy={decision.isPending} onClick={() => decide(true)}>
            {words.action}
          </Button>
          <Button variant="quiet" onClick={state === 'refused' ? onClose : () => decide(false)}>
            {state === 'refused' ? 'Close' : 'Not now'}
          </Button>
        </div>
      </div>
    </section>
  )
}

/** A mark in the header of a session whose project configuration is off; opens the question about it. */
export function TrustMark({ view, onOpen }: { view: TrustView; onOpen: () => void }) {
  if (view.state === 'nothing' || view.state === 'trusted') return null
  return (
    <Tooltip text="Project settings are off because this folder isn’t trusted.">
      <ChipButton className="text-wait-ink" onClick={onOpen}>
        <ShieldAlert aria-hidden />
        Not trusted
      </ChipButton>
    </Tooltip>
  )
}

const KINDS: Record<TrustPart['kind'], string> = {
  rules: 'Rules and restrictions',
  mcp: 'MCP servers',
  hooks: 'Hooks',
  agents: 'Agent specs',
}

/** What a project's files would do, one line each; and what changed since they were accepted. */
function TrustParts({ view, userHome }: { view: TrustView; userHome: string | undefined }) {
  return (
    <ul className="trust-parts" tabIndex={0} aria-label="What these settings do">
      {view.parts.map((part) => (
        <li key={`${part.kind} ${part.file}`}>
          <p className="trust-file">
            <span>{KINDS[part.kind]}</span> <code>{withinFolder(part.file, view.folder, userHome)}</code>
          </p>
          {part.diff !== undefined && part.diff !== '' && (
            <div className="trust-diff">
              <p className="trust-note">Changed since you trusted it:</p>
              <DiffView diff={part.diff} limit={30} />
            </div>
          )}
          {part.diff !== undefined && part.diff !== '' && <p className="trust-note px-0">Everything they do:</p>}
          <ul className="trust-lines">
            {part.lines.map((line, index) => (
              <li key={index}>{line}</li>
            ))}
            {part.lines.length === 0 && <li>Nothing.</li>}
          </ul>
        </li>
      ))}
    </ul>
  )
}

function withinFolder(file: string, folder: string, userHome: string | undefined): string {
  const next = file.charAt(folder.length)
  return file.startsWith(folder) && (next === '/' || next === '\\')
    ? file.slice(folder.length + 1)
    : shortPath(file, userHome)
}

/** Whether a folder's own configuration is enabled; undefined until it is known. */
export function useTrustView(folder: string | undefined): TrustView | undefined {
  const queries = useQueries()
  const { data } = useQuery(
    queries.trust.get.queryOptions({
      input: { folder: folder ?? '' },
      enabled: folder !== undefined,
      staleTime: Infinity,
      // The engine reports changes only when a turn reads the files; refetching on focus immediately asks a user who
      // returns from an editor.
      refetchOnWindowFocus: 'always',
    }),
  )
  return data
}

/** Decides about exactly what was shown; if the files changed since, the new view is shown instead. */
function useTrustDecision() {
  const client = useClient()
  const queries = useQueries()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ view: { folder, hash }, trusted }: { view: TrustView; trusted: boolean }) =>
      client.trust[trusted ? 'accept' : 'refuse']({ folder, hash }),
    onSuccess: (view, { view: before, trusted }) => {
      queryClient.setQueryData(queries.trust.get.queryKey({ input: { folder: before.folder } }), view)
      if (trusted) showToast('Folder trusted')
    },
    onError: (error) => {
      showFailureToast(error)
      if (failureFrom(error).code === 'trust.changed')
        void queryClient.invalidateQueries({ queryKey: queries.trust.get.key() })
    },
  })
}
