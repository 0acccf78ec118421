import { useMutation } from '@tanstack/react-query'
import { useMemo, useState, type ReactNode, useId } from 'react'
import { Check } from 'lucide-react'
import type { AppInfo } from '../../../shared/contract/app'
import { confinementOf, MODE_NAMES, modeDescription } from '../../../shared/configuration/sandbox-text'
import type { SettingsView } from '../../../shared/configuration/settings'
import { isScratchFolder } from '../../../shared/model/scratch-folder'
import type { NewWorktree } from '../../../shared/model/worktree'
import type { SessionSummary } from '../../../shared/model/session'
import { failureFrom } from '../../client/failure-from'
import { shortPath } from '../../format/folder-name'
import { useLayout } from '../../state/page/layout-state'
import { projectsOf, useSessions } from '../../state/session/sessions-state'
import { browserStorage } from '../../state/page/browser-storage'
import { useClient } from '../../state/page/queries'
import { Button } from '../../ui/button'
import { ErrorNote } from '../../ui/notice'
import { Logo } from '../../ui/logo'
import { Skeleton, ViewSkeleton } from '../../ui/loading'
import { FolderStep, NO_PROJECT } from './folder-step'
import { ModelStep } from './model-step'
import { WorktreeChoice } from './worktree-choice'
import { cx } from '../../ui/cx'

/** The model of the last session that was started here. */
const MODEL_KEY = 'trestle.lastModel'

interface BeginPageProps {
  info: AppInfo | undefined
  settings: SettingsView | undefined
  /** The preselected folder. */
  folder: string | undefined
  renderConnect: (props: { onConnected: (modelId: string) => void; onCancel: () => void }) => ReactNode
}

/**
 * The start page. For new users it is also the welcome page; for others it takes one click, with the folder and model
 * of the last session preselected.
 */
export function BeginPage({ info, settings, folder: wanted, renderConnect }: BeginPageProps) {
  const client = useClient()
  const state = useSessions()
  const recent = useMemo(
    () => projectsOf(state).flatMap(({ folder }) => (isScratchFolder(folder) ? [] : [folder])),
    [state],
  )
  const lastFolder = useLayout((layout) =>
    layout.lastSessionId === undefined ? undefined : placeOf(state.sessions.get(layout.lastSessionId)),
  )
  const [chosenFolder, setFolder] = useState<string>()
  const [chosenModel, setModel] = useState<string>()
  const [worktree, setWorktree] = useState<NewWorktree>()
  const isFirst = state.loaded && state.sessions.size === 0
  const [changing, setChanging] = useState(false)

  const last = lastFolder !== undefined && isScratchFolder(lastFolder) ? NO_PROJECT : lastFolder
  const folder = chosenFolder ?? wanted ?? last ?? recent[0]
  const demo = settings?.models.find((model) => model.scripted)
  const known = (id: string | undefined): string | undefined => settings?.models.find((one) => one.id === id)?.id
  // Preselect the last session's choices; skip a model that no longer exists.
  const model =
    chosenModel ?? (isFirst ? undefined : known(browserStorage.read(MODEL_KEY))) ?? known(settings?.defaultModel)
  const mode = settings?.defaultPermissionMode ?? 'ask'
  const chosen = settings?.models.find(({ id }) => id === model)

  const begin = useMutation({
    mutationFn: (input: { folder: string; model: string; worktree?: NewWorktree | undefined }) => {
      // The default model is not pinned: the session follows changes of the default.
      const pinned = input.model === settings?.defaultModel ? {} : { model: input.model }
      const place = input.folder === NO_PROJECT ? {} : { folder: input.folder }
      const apart = input.worktree && input.folder !== NO_PROJECT ? { worktree: input.worktree } : {}
      return client.session.create({ ...place, ...pinned, ...apart })
    },
    onSuccess: (header, input) => {
      browserStorage.write(MODEL_KEY, input.model)
      useLayout.getState().openSession(header.sessionId)
    },
  })

  // The content depends on whether sessions exist: nothing may move under a click when they arrive.
  if (!state.loaded) return <ViewSkeleton label="Loading" />
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto w-full max-w-[680px] px-6 pt-[min(9vh,84px)] pb-16 max-mid:px-4 max-mid:pt-8">
        {isFirst ? (
          <Welcome />
        ) : (
          <h2 className="mb-7 text-title font-semibold tracking-[-0.015em]">Start a new session</h2>
        )}
        <div className="space-y-8">
          <Step
            n={1}
            title={isFirst ? 'Choose a folder' : 'Folder'}
            chosen={folder === NO_PROJECT ? 'No project' : folder && shortPath(folder, info?.userHome)}
          >
            <FolderStep
              info={info}
              folder={folder}
              recent={recent}
              isFolded={!isFirst && folder !== undefined}
              onChoose={(path, scratch) => {
                setFolder(path)
                setWorktree(undefined)
                if (scratch && demo) setModel(demo.id)
              }}
            />
          </Step>
          <Step n={2} title={isFirst ? 'Choose a model' : 'Model'} chosen={chosen?.label}>
            {!isFirst && chosen && !changing ? (
              <Button size="small" variant="quiet" className="-ml-2" onClick={() => setChanging(true)}>
                Change model
              </Button>
            ) : settings ? (
              <ModelStep settings={settings} model={model} onChoose={setModel} renderConnect={renderConnect} />
            ) : (
              <LoadingModels />
            )}
          </Step>
          <Step n={3} title="Start" chosen={undefined}>
            <p className="mb-3 text-ui text-ink-2">
              {folder === undefined || !chosen
                ? missing(folder !== undefined, chosen !== undefined)
                : folder === NO_PROJECT
                  ? `The assistant answers questions and does everyday tasks. Files it makes go to a private folder. ${MODE_NAMES[mode]}: ${modeDescription(mode, confinementOf(undefined, settings?.sandbox))}`
                  : chosen.scripted
                    ? 'The demo shows streaming, an edit to approve, and a command. It changes files in the folder only after you allow it.'
                    : `${MODE_NAMES[mode]}: ${modeDescription(mode, confinementOf(undefined, settings?.sandbox))}`}
            </p>
            {folder !== undefined && folder !== NO_PROJECT && (
              <WorktreeChoice key={folder} folder={folder} value={worktree} onChange={setWorktree} />
            )}
            <Button
              variant="primary"
              disabled={folder === undefined || !chosen}
              autoFocus={!isFirst && folder !== undefined && chosen !== undefined}
              busy={begin.isPending}
              onClick={() => folder !== undefined && chosen && begin.mutate({ folder, model: chosen.id, worktree })}
            >
              {chosen?.scripted ? 'Start demo' : 'Start session'}
            </Button>
            {begin.error && <ErrorNote failure={failureFrom(begin.error)} className="mt-3" />}
          </Step>
        </div>
      </div>
    </div>
  )
}

/** Where a session like this one would be started. */
function placeOf(summary: SessionSummary | undefined): string | undefined {
  return summary?.worktree?.project ?? summary?.folder
}

/** What is still to be chosen. */
function missing(hasFolder: boolean, hasModel: boolean): string {
  if (!hasFolder && !hasModel) return 'Choose a folder and a model to continue.'
  return hasFolder ? 'Choose a model to continue.' : 'Choose a folder to continue.'
}

function Welcome() {
  return (
    <header className="mb-10">
      <Logo className="mb-4 size-[34px] stroke-[1.2]" />
      <h2 className="text-hero font-semibold tracking-[-0.025em]">Your workbench for coding agents</h2>
      <p className="mt-2 max-w-[54ch] text-lead text-ink-2">
        Open a project folder and say what you want. The agent reads, edits and runs code. It asks before anything
        risky, and everything is saved.
      </p>
    </header>
  )
}

function LoadingModels() {
  return (
    <div role="status" aria-busy className="space-y-2">
      <span className="sr-only">Loading the models</span>
      <Skeleton className="h-11 w-full rounded-lg" />
      <Skeleton className="h-11 w-full rounded-lg" />
    </div>
  )
}

interface StepProps {
  n: number
  title: string
  /** The choice; the step is then marked as done. */
  chosen: string | undefined
  children: ReactNode
}

/** One step of starting a session. */
function Step({ n, title, chosen, children }: StepProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="grid grid-cols-[24px_minmax(0,1fr)] gap-x-4 gap-y-2.5 max-mid:gap-x-3">
      <span
        aria-hidden
        className={cx(
          'flex size-[24px] flex-none items-center justify-center rounded-full border text-small font-semibold tabular-nums',
          chosen === undefined ? 'border-line-strong text-ink-2' : 'border-ink bg-ink text-paper',
        )}
      >
        {chosen === undefined ? n : <Check className="size-[13px] stroke-[2.4]" />}
      </span>
      <div className="flex min-h-[24px] flex-wrap items-center gap-x-2.5">
        <h2 id={id} className="text-body font-semibold">
          {title}
        </h2>
        {chosen !== undefined && <span className="min-w-0 text-ui wrap-anywhere text-ink-3">{chosen}</span>}
      </div>
      <div className="col-start-2 min-w-0 max-mid:col-span-2 max-mid:col-start-1">{children}</div>
    </section>
  )
}
