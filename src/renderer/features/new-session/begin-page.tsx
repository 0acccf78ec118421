import { useMutation } from '@tanstack/react-query'
import { FlaskConical, FolderOpen, MessageSquare, Plug } from 'lucide-react'
import { useId, useMemo, useRef, useState, type ReactNode } from 'react'
import type { AppInfo } from '../../../shared/contract/app/app'
import { confinementOf, MODE_NAMES, modeDescription } from '../../../shared/configuration/sandbox-text'
import type { SettingsView } from '../../../shared/configuration/settings'
import type { SessionMode } from '../../../shared/model/approval/approval'
import type { Effort } from '../../../shared/model/turn/effort'
import { placeFolder } from '../../../shared/model/place/place-folder'
import { isScratchFolder } from '../../../shared/model/project/scratch-folder'
import type { NewWorktree } from '../../../shared/model/project/worktree'
import type { SessionSummary } from '../../../shared/model/session/session'
import { failureFrom } from '../../client/failure-from'
import { isImage, isUnkept, messageOf } from '../../state/attachments/attachment'
import { useFileDrop } from '../../state/attachments/file-drop'
import { keepFiles } from '../../state/attachments/kept-files'
import { useAttachments } from '../../state/attachments/use-attachments'
import { shortPath } from '../../format/folder-name'
import { browserStorage } from '../../state/page/browser-storage'
import { useLayout } from '../../state/page/layout-state'
import { pageDrafts } from '../../state/drafts/page-drafts'
import { useClient } from '../../state/page/queries'
import { usePlaces } from '../../state/places'
import { showFailureToast } from '../../state/page/toasts-state'
import { returnToComposer } from '../../state/session/restore-state'
import { useMissingFolders } from '../../state/session-list/missing-folders'
import { projectsOf, useSessions } from '../../state/session-list/sessions-state'
import { Button } from '../../ui/button'
import { Skeleton, ViewSkeleton } from '../../ui/loading'
import { Logo } from '../../ui/logo'
import { ErrorNote } from '../../ui/notice'
import { focusUnlessMoved } from '../../ui/overlay/return-focus'
import { ConnectPart } from './connect-part'
import { FolderBrowser } from './folder-browser'
import { StartComposer } from './start-composer'
import { StartSuggestions } from './start-suggestions'
import { AgentPill, EffortPill, FolderPill, ModePill, NO_PROJECT } from './start-pills'
import { untouchedSession } from './untouched-session'
import { WorktreeChoice } from './worktree-choice'

/** The model of the last session that was started here, and the default model at that time. */
const MODEL_KEY = 'trestle.lastModel'
/** ID of the unsent draft of this page. */
const DRAFT = 'new'
/** Maximum number of projects that are checked and offered. */
const OFFERED = 8
const NO_PICTURES = 'This model doesn’t support images. Remove them, or choose another model.'

interface BeginPageProps {
  info: AppInfo | undefined
  settings: SettingsView | undefined
  /** The preselected folder. */
  folder: string | undefined
  /** The catalog of providers, supplied by the settings. */
  renderConnect: (props: { onConnected: (modelId: string) => void }) => ReactNode
  /** The model pill. */
  renderModel: (props: {
    model: string | undefined
    onChoose: (id: string) => void
    onConnect: () => void
  }) => ReactNode
  /** Another pill: where the session works in a repository. */
  renderPlace?: (props: { folder: string | undefined }) => ReactNode
}

/**
 * The start page: a composer that starts a session, with the folder and model of the last one. For new users it is also
 * the welcome page.
 */
export function BeginPage({ info, settings, folder: wanted, renderConnect, renderModel, renderPlace }: BeginPageProps) {
  const client = useClient()
  const headingId = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  const connectPart = useRef<HTMLElement>(null)
  const state = useSessions()
  const projects = useMemo(
    () => projectsOf(state).flatMap(({ folder }) => (isScratchFolder(folder) ? [] : [folder])),
    [state],
  )
  const lastFolder = useLayout((layout) =>
    layout.lastSessionId === undefined ? undefined : placeOf(state.sessions.get(layout.lastSessionId)),
  )
  const [text, showText] = useState(() => pageDrafts.find(DRAFT, 'trestle.draft.new'))
  const setText = (now: string): void => {
    showText(now)
    pageDrafts.keep(DRAFT, now)
  }
  const files = useAttachments(DRAFT)
  const { attachments } = files
  const [chosenFolder, setFolder] = useState<string>()
  const [chosenModel, setModel] = useState<string>()
  const [worktree, setWorktree] = useState<NewWorktree>()
  const [chosenMode, setMode] = useState<SessionMode>()
  const [effort, setEffort] = useState<Effort>()
  const [agent, setAgent] = useState<string>()
  /** The folder that browsing starts in; true: in the chosen one. */
  const [browsing, setBrowsing] = useState<boolean | string>(false)
  const places = usePlaces()
  const [connecting, setConnecting] = useState(false)
  const isFirst = state.loaded && state.sessions.size === 0
  const needsModel = settings !== undefined && !settings.models.some(({ origin }) => origin !== 'built-in')
  const [neededModel, setNeededModel] = useState(false)
  if (needsModel !== neededModel) {
    setNeededModel(needsModel)
    // Stays open when the model is saved: its connection is tested only then, and the result is shown in the form.
    if (needsModel) setConnecting(true)
  }

  const last = lastFolder !== undefined && isScratchFolder(lastFolder) ? NO_PROJECT : lastFolder
  const asked = chosenFolder ?? wanted
  const looked = new Set([asked, last, ...projects.slice(0, OFFERED)].flatMap((path) => path || []))
  const missing = useMissingFolders([...looked])
  const recent = projects.filter((path) => !missing.has(path))
  // A folder that the user chose is never replaced by another one.
  const folder = asked ?? (last !== undefined && !missing.has(last) ? last : recent[0])
  const isMissing = folder !== undefined && missing.has(folder)
  const known = (id: string | undefined): string | undefined => settings?.models.find((one) => one.id === id)?.id
  // Preselect the last session's choices; skip a model that no longer exists, and one from before a new default.
  const [lastModel, itsDefault] = browserStorage.read(MODEL_KEY)?.split('\n') ?? []
  const isRecent = !isFirst && itsDefault === settings?.defaultModel
  const model = chosenModel ?? (isRecent ? known(lastModel) : undefined) ?? known(settings?.defaultModel)
  const mode = chosenMode ?? settings?.defaultPermissionMode ?? 'ask'
  const chosen = settings?.models.find(({ id }) => id === model)
  const demo = settings?.models.find(({ scripted }) => scripted)

  const begin = useMutation({
    mutationFn: async (input: { folder: string; model: string; text: string; worktree?: NewWorktree | undefined }) => {
      const untouched =
        input.text === '' && attachments.length === 0 && !input.worktree && chosenMode !== 'plan'
          ? await untouchedSession(client, state.sessions.values(), { ...input, mode, effort, agent })
          : undefined
      if (untouched !== undefined) return useLayout.getState().openSession(untouched)
      const header = await client.session.create({
        ...(input.folder !== NO_PROJECT && { folder: input.folder }),
        // Without a model, the engine records the current default model.
        ...(input.model !== settings?.defaultModel && { model: input.model }),
        ...(chosenMode !== undefined && chosenMode !== 'plan' && { mode: chosenMode }),
        ...(effort !== undefined && { effort }),
        ...(agent !== undefined && { agent: { name: agent } }),
        ...(input.worktree && input.folder !== NO_PROJECT && { worktree: input.worktree }),
      })
      const { sessionId } = header
      if (chosenMode === 'plan') await client.plan.enter({ sessionId })
      browserStorage.write(MODEL_KEY, `${input.model}\n${settings?.defaultModel}`)
      pageDrafts.keep(DRAFT, '')
      const release = files.takeAll()
      useLayout.getState().openSession(sessionId)
      // The session is open: a message that cannot be sent is put into its composer.
      const { attachments: kept, failure } = await keepFiles(attachments, { client, sessionId })
      const parts = messageOf(input.text, kept)
      try {
        if (failure !== undefined) throw failure
        if (parts.length > 0) await client.session.prompt({ sessionId, parts })
      } catch (error) {
        returnToComposer({ sessionId, parts, files: kept.filter(isUnkept).map(({ part }) => part.file) })
        showFailureToast(error)
      } finally {
        release(true)
      }
    },
  })
  const browse = async (): Promise<void> => {
    if (info?.host !== 'electron') return setBrowsing(true)
    try {
      const found = await client.app.chooseFolder()
      if (found) setFolder(found.path)
    } catch (error) {
      showFailureToast(error)
    }
  }
  const scratch = useMutation({
    mutationFn: () => client.folder.scratch(),
    onMutate: () => document.activeElement,
    onSuccess: ({ path }, _input, from) => {
      setFolder(path)
      if (demo) setModel(demo.id)
      showText((before) => before || 'Show me around')
      focusUnlessMoved(field.current, from)
    },
    onError: showFailureToast,
  })

  const drop = useFileDrop({
    imagesIn: chosen?.imagesIn ?? true,
    folder: undefined,
    add: (added) => {
      // The message that is being sent would not have them.
      if (begin.isPending) files.setProblem('The session is starting. Attach files there once it is open.')
      else void files.add(added)
    },
    name: (paths) => setFolder(paths.find(({ isFolder }) => isFolder)?.path ?? chosenFolder),
    showProblem: files.setProblem,
  })

  // The content depends on whether sessions exist: nothing may move under a click when they arrive.
  if (!state.loaded) return <ViewSkeleton label="Loading" />
  const noPictures = chosen?.imagesIn === false && attachments.some(({ part }) => isImage(part))
  const hasPlace = folder !== undefined && !isMissing && chosen !== undefined
  const isProject = folder !== undefined && folder !== NO_PROJECT && !isMissing
  const canStart = hasPlace && !noPictures && !files.reading
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto w-full max-w-[768px] px-6 pt-[min(11vh,110px)] pb-16 max-mid:px-4 max-mid:pt-6">
        {isFirst && <Welcome />}
        <h2 id={headingId} className="mb-4 text-title font-semibold tracking-[-0.015em]">
          What should we work on?
        </h2>
        <StartComposer
          ref={field}
          labelledBy={headingId}
          text={text}
          onText={setText}
          attachments={attachments}
          onRemove={files.remove}
          drop={drop}
          problem={noPictures ? NO_PICTURES : files.problem}
          action={chosen?.scripted ? 'Start demo' : 'Start session'}
          canStart={canStart}
          busy={begin.isPending}
          onStart={() => canStart && begin.mutate({ folder, model: chosen.id, text: text.trim(), worktree })}
          pills={
            <>
              <FolderPill
                folder={folder}
                recent={recent}
                userHome={info?.userHome}
                onChoose={(path) => {
                  setFolder(path)
                  setWorktree(undefined)
                }}
                onBrowse={() => void browse()}
                places={places.map(({ placeId }) => placeId)}
                onBrowsePlace={(placeId) => setBrowsing(placeFolder({ placeId, path: '~' }))}
              />
              {renderPlace?.({ folder: folder === NO_PROJECT ? undefined : folder })}
              {settings ? (
                <>
                  {renderModel({ model, onChoose: setModel, onConnect: () => setConnecting(true) })}
                  <EffortPill model={model} effort={effort} settings={settings} onChoose={setEffort} />
                  <ModePill mode={mode} settings={settings} onChoose={setMode} />
                </>
              ) : (
                <Skeleton className="h-[25px] w-[180px] rounded-[6px]" />
              )}
              <AgentPill folder={folder} agent={agent} onChoose={setAgent} />
            </>
          }
        />
        {isProject && text === '' && !chosen?.scripted && (
          <StartSuggestions
            folder={folder}
            onChoose={(suggested) => {
              setText(suggested)
              field.current?.focus()
            }}
          />
        )}
        {isProject && (
          <div className="mt-2.5">
            <WorktreeChoice key={folder} folder={folder} value={worktree} onChange={setWorktree} />
          </div>
        )}
        {begin.error && <ErrorNote failure={failureFrom(begin.error)} className="mt-3" />}
        <p className="mt-2.5 px-0.5 text-small text-ink-3">
          {hasPlace
            ? explanation(folder, chosen.scripted ?? false, mode, settings)
            : missingChoiceText(folder, isMissing, chosen !== undefined)}
        </p>
        <div className="mt-3 flex flex-wrap gap-2">
          <Button
            size="small"
            variant={folder === undefined || isMissing ? 'default' : 'quiet'}
            icon={<FolderOpen aria-hidden />}
            onClick={() => void browse()}
          >
            Choose a folder…
          </Button>
          <Button
            size="small"
            variant="quiet"
            icon={<MessageSquare aria-hidden />}
            aria-pressed={folder === NO_PROJECT}
            onClick={() => setFolder(NO_PROJECT)}
          >
            No project
          </Button>
          <Button
            size="small"
            variant="quiet"
            icon={<FlaskConical aria-hidden />}
            busy={scratch.isPending}
            onClick={() => scratch.mutate()}
          >
            Try the demo in a temporary folder
          </Button>
          {settings && !connecting && (
            <Button size="small" variant="quiet" icon={<Plug aria-hidden />} onClick={() => setConnecting(true)}>
              Connect a provider
            </Button>
          )}
        </div>
        {settings && connecting && (
          <ConnectPart
            ref={connectPart}
            needsOne={needsModel}
            render={() =>
              renderConnect({
                onConnected: (id) => {
                  setConnecting(false)
                  setModel(id)
                  focusUnlessMoved(field.current, connectPart.current)
                },
              })
            }
          />
        )}
      </div>
      <FolderBrowser
        open={browsing !== false}
        onOpenChange={setBrowsing}
        start={browsing === true ? folder || '~' : browsing || '~'}
        shorten={(path) => shortPath(path, info?.userHome)}
        recent={recent}
        places={places.map(({ placeId }) => placeId)}
        onChoose={(path) => {
          setBrowsing(false)
          setFolder(path)
        }}
      />
    </div>
  )
}

/** The folder in which a session like this one would start. */
function placeOf(summary: SessionSummary | undefined): string | undefined {
  return summary?.worktree?.project ?? summary?.folder
}

/** What the session will do, before it starts. */
function explanation(folder: string, scripted: boolean, mode: SessionMode, settings: SettingsView | undefined): string {
  if (scripted && folder !== NO_PROJECT)
    return (
      'The demo shows streaming, an edit to approve, and a command. ' +
      'It changes files in the folder only after you allow it.'
    )
  const asks = `${MODE_NAMES[mode]}: ${modeDescription(mode, confinementOf(undefined, settings?.sandbox))}`
  return folder === NO_PROJECT
    ? `The assistant answers questions and does everyday tasks. Files it creates go to a private folder. ${asks}`
    : asks
}

/** The choice that is still missing. */
function missingChoiceText(folder: string | undefined, isMissing: boolean, hasModel: boolean): string {
  if (isMissing) return `The folder ${folder} no longer exists. Choose another folder to continue.`
  if (folder === undefined && !hasModel) return 'Choose a folder and a model to continue.'
  return folder === undefined ? 'Choose a folder to continue.' : 'Choose a model to continue.'
}

function Welcome() {
  return (
    <header className="mb-8">
      <Logo className="mb-4 size-[34px] stroke-[1.2]" />
      <h2 className="text-hero font-semibold tracking-[-0.025em]">Your workbench for coding agents</h2>
      <p className="mt-2 max-w-[54ch] text-lead text-pretty text-ink-2">
        Open a project folder and say what you want. The agent reads, edits and runs code. It asks before anything
        risky, and everything is saved.
      </p>
    </header>
  )
}
