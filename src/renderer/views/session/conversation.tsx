import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode, type RefObject } from 'react'
import { requestName, type Approval } from '../../../shared/model/approval/approval'
import type { UserPart } from '../../../shared/model/turn/message'
import type { ApprovalReply } from '../../features/approvals/card-actions'
import { ApprovalDock, Approvals } from '../../features/approvals/approval-dock'
import { ModeSwitch } from '../../features/chat/header/mode-switch'
import { EmptyConversation, Transcript, type TranscriptProps } from '../../features/chat/transcript/transcript'
import { AgentSwitch, EffortSwitch } from '../../features/composer/composer-switches'
import { Composer, type ComposerHandle } from '../../features/composer/composer'
import { commandSent } from '../../features/composer/completion'
import { TerminalsContext } from '../../features/chat/tools/background-task'
import { SessionModelPill } from '../../features/models/session-model-pill'
import { AgentRequests } from '../../features/session/subagents'
import { QueueList } from '../../features/composer/queue-list'
import { useAgentRequests } from '../../state/inbox-state'
import { addToComposer, useComposerText } from '../../state/session/composer-state'
import { returnToComposer, useReturnedMessage } from '../../state/session/restore-state'
import { AnswerCard, TaskTerminal, ToolsDialog } from './lazy-session-parts'
import { transcriptOf, useSessionState, useSessionStore } from '../../state/session/session-view'
import { changeMode, followingMode, modeOf } from '../../state/session/session-actions'
import { useSessions } from '../../state/session-list/sessions-state'
import { useSettings, useClient } from '../../state/page/queries'
import { showFailureToast } from '../../state/page/toasts-state'
import { useMentions, usePromptArguments, useSlashCommands } from './completion-sources'
import { useOpenLink } from '../../state/use-open-link'
import { Button } from '../../ui/button'
import { ErrorNote } from '../../ui/notice'
import { Skeleton } from '../../ui/loading'
import { useEscape } from '../../state/page/escape'
import { frontSession } from '../../state/panes/panes-state'

interface ConversationProps {
  sessionId: string
  connected: boolean
  onOpenSettings: () => void
  /** Set if several sessions are on screen: distinguishes them for screen readers. */
  title?: string
}

/** The main column of a session: transcript, approvals, queue, composer. */
export function Conversation(props: ConversationProps) {
  // Scroll position, draft and popups belong to one session.
  return <OneConversation key={props.sessionId} {...props} />
}

function OneConversation({ sessionId, connected, onOpenSettings, title }: ConversationProps) {
  const client = useClient()
  const store = useSessionStore(sessionId)
  // Only the transcript re-renders while an answer streams in.
  const { status, failure, header } = useSessionState(sessionId, (state) => ({
    status: state.status,
    failure: state.failure,
    header: state.view?.header,
  }))
  const { data: settings } = useSettings()
  const elsewhere = useSessions((state) => state.sessions.get(sessionId)?.elsewhere)
  const composer = useRef<ComposerHandle>(null)
  const root = useRef<HTMLElement>(null)

  const modelId = header?.model ?? settings?.defaultModel
  const model = settings?.models.find(({ id }) => id === modelId)
  const busy = header?.turnId !== undefined || header?.compacting !== undefined

  useEffect(() => {
    if (status === 'ready' && (document.activeElement === null || document.activeElement === document.body))
      composer.current?.focus()
  }, [status])

  const givenBack = useReturnedMessage((state) => (state.message?.sessionId === sessionId ? state.message : undefined))
  const isOpen = header !== undefined
  useEffect(() => {
    if (!givenBack || !isOpen) return
    returnToComposer(undefined)
    composer.current?.restoreMessage(givenBack.parts, givenBack.files)
  }, [givenBack, isOpen])

  const added = useComposerText((state) => (state.added?.sessionId === sessionId ? state.added : undefined))
  useEffect(() => {
    if (!added || !isOpen) return
    addToComposer(undefined)
    composer.current?.add(added.text)
  }, [added, isOpen])

  const steer = useCallback(
    (parts: UserPart[]) => {
      transcriptOf(sessionId)?.toEnd()
      return showingFailure(client.session.steer({ sessionId, parts }))
    },
    [client, sessionId],
  )
  const stop = useCallback(() => void client.session.stop({ sessionId }).catch(showFailureToast), [client, sessionId])
  const nextMode = useCallback(() => {
    const now = store.store.getState().view?.header
    if (now) changeMode(client, now, followingMode(modeOf(now)))
  }, [client, store])
  const complete = useMentions(sessionId)
  const completeArgument = usePromptArguments(sessionId)
  const [toolsOpen, setToolsOpen] = useState(false)
  const openTools = useCallback(() => setToolsOpen(true), [])
  const slash = useSlashCommands(sessionId, header?.folder, openTools)
  const { commands } = slash
  const prompt = useCallback(
    (parts: UserPart[]) => {
      // After sending, show the message and the response.
      transcriptOf(sessionId)?.toEnd()
      const [only, more] = parts
      const command = only?.type === 'text' && !more ? commandSent(commands, only.text) : undefined
      return showingFailure(command ? command() : client.session.prompt({ sessionId, parts }))
    },
    [client, sessionId, commands],
  )
  const loadOlder = useCallback(() => void store.loadOlder(), [store])
  const onPrompt = useCallback((parts: UserPart[]) => void prompt(parts).catch(() => undefined), [prompt])
  const onOpenLink = useOpenLink()
  const terminals = useMemo(
    () => ({
      sessionId,
      render: (taskId: string, actions?: ReactNode) => (
        <TaskTerminal taskId={taskId} size="card" onOpenLink={onOpenLink} actions={actions} />
      ),
    }),
    [sessionId, onOpenLink],
  )
  const onReply = useCallback(
    (approvalId: string, reply: ApprovalReply) => client.approval.reply({ sessionId, approvalId, ...reply }),
    [client, sessionId],
  )
  const focusComposer = useCallback(() => composer.current?.focus(), [])

  const [agentAsks] = useAgentRequests(sessionId)

  const stopsNext = useStopKey(sessionId, root, header?.turnId ?? header?.compacting?.compactionId, stop)

  if (!header) {
    return (
      <div className="flex min-h-0 flex-1 flex-col justify-end">
        {status === 'failed' && failure ? (
          <div className="m-auto w-full max-w-[560px] p-6">
            <ErrorNote
              failure={failure}
              actions={
                <Button size="small" onClick={() => void store.open()}>
                  Try again
                </Button>
              }
            />
          </div>
        ) : (
          <Loading />
        )}
      </div>
    )
  }

  return (
    <section
      aria-label={title === undefined ? 'Session' : `Session ${title}`}
      ref={root}
      className="flex min-h-0 flex-1 flex-col"
    >
      {toolsOpen && <ToolsDialog sessionId={sessionId} open onOpenChange={setToolsOpen} />}
      {status === 'failed' && failure && (
        <div className="mx-auto w-full max-w-[748px] px-6 pt-3">
          <ErrorNote
            failure={failure}
            actions={
              <Button size="small" onClick={() => void store.open()}>
                Try again
              </Button>
            }
          />
        </div>
      )}
      <TerminalsContext value={terminals}>
        <SessionTranscript
          sessionId={sessionId}
          onLoadOlder={loadOlder}
          onPrompt={onPrompt}
          onOpenLink={onOpenLink}
          needs={needsOf(header.approvals[0] ?? agentAsks)}
          {...(title !== undefined && { name: `Conversation ${title}` })}
          empty={
            <EmptyConversation
              greeting={header.runsAs?.greeting}
              scripted={model?.scripted ?? false}
              onSuggest={(text) => composer.current?.fill(text)}
            />
          }
        />
      </TerminalsContext>
      <ApprovalDock requestId={(header.approvals[0] ?? agentAsks)?.approvalId}>
        <Approvals
          approvals={header.approvals}
          renderCard={(approval, behind) => (
            <AnswerCard
              key={approval.approvalId}
              sessionId={sessionId}
              approval={approval}
              behind={behind}
              blocked={connected ? undefined : 'Not connected.'}
              onReply={onReply}
              onAnswered={focusComposer}
            />
          )}
        />
        {/* One question at a time. */}
        {header.approvals.length === 0 && (
          <AgentRequests
            sessionId={sessionId}
            renderCard={(entry, approval, behind) => (
              <AnswerCard
                key={approval.approvalId}
                sessionId={entry.sessionId}
                approval={approval}
                behind={behind}
                blocked={connected ? undefined : 'Not connected.'}
                onReply={(approvalId, reply) =>
                  client.approval.reply({ sessionId: entry.sessionId, approvalId, ...reply })
                }
                onAnswered={focusComposer}
              />
            )}
          />
        )}
      </ApprovalDock>
      <Composer
        ref={composer}
        sessionId={sessionId}
        busy={busy}
        stopsNext={stopsNext}
        imagesIn={model?.imagesIn ?? false}
        folder={header.folder}
        onSend={prompt}
        onSteer={steer}
        onStop={stop}
        onNextMode={nextMode}
        complete={complete}
        controls={
          <>
            <SessionModelPill sessionId={sessionId} />
            <EffortSwitch sessionId={sessionId} />
            {/* A subagent works in the mode of its session. */}
            {!header.agent && <ModeSwitch sessionId={sessionId} />}
            <AgentSwitch sessionId={sessionId} />
          </>
        }
        commands={slash.commands}
        onCommands={slash.refresh}
        prompts={slash.prompts}
        completeArgument={completeArgument}
        blocked={blockedBy({
          connected,
          elsewhere,
          movedTo: header.sealed && (header.sealed.place ?? header.sealed.to),
          hasModel: settings === undefined || modelId !== undefined,
          onOpenSettings,
        })}
        above={
          <QueueList
            queue={header.queue}
            busy={busy}
            disabled={!connected}
            onSendNow={(promptId) => void client.session.steer({ sessionId, promptId }).catch(showFailureToast)}
            onEdit={(promptId, parts) => showingFailure(client.session.editQueued({ sessionId, promptId, parts }))}
            onRemove={(promptId) => void client.session.removeQueued({ sessionId, promptId }).catch(showFailureToast)}
            onMove={(promptId, to) => showingFailure(client.session.moveQueued({ sessionId, promptId, to }))}
            onLeftOver={(text) => composer.current?.add(text)}
          />
        }
      />
    </section>
  )
}

/** The transcript of a session that is open. */
function SessionTranscript(props: Omit<TranscriptProps, 'view' | 'aliveAt' | 'loadingOlder'>) {
  const { view, aliveAt, loadingOlder } = useSessionState(props.sessionId, (state) => ({
    view: state.view,
    aliveAt: state.aliveAt,
    loadingOlder: state.loadingOlder,
  }))
  return view && <Transcript {...props} view={view} aliveAt={aliveAt} loadingOlder={loadingOlder} />
}

/** Why nothing can be sent, as text for the composer; undefined when sending is possible. */
function blockedBy({
  connected,
  elsewhere,
  movedTo,
  hasModel,
  onOpenSettings,
}: {
  connected: boolean
  elsewhere: string | undefined
  movedTo: string | undefined
  hasModel: boolean
  onOpenSettings: () => void
}): ReactNode {
  if (!connected) return 'Not connected. Your draft is kept.'
  if (elsewhere !== undefined) return `This session is open in another Trestle (${elsewhere}).`
  if (movedTo !== undefined) return `This session continues at ${movedTo}.`
  if (hasModel) return undefined
  return (
    <>
      No model selected.{' '}
      <button type="button" onClick={onOpenSettings}>
        Choose one in Settings
      </button>
    </>
  )
}

/** The label of what is pending, for the button that jumps to the end. */
function needsOf(request: Pick<Approval, 'tool' | 'asks'> | undefined): string | undefined {
  if (!request) return undefined
  return request.asks ? `${requestName(request)}: your answer is needed` : 'Approval needed'
}

/** Shows the failure of a call immediately; it still rejects, so that the caller can restore its input. */
async function showingFailure<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call
  } catch (error) {
    showFailureToast(error)
    throw error
  }
}

function Loading() {
  return (
    <div
      role="status"
      aria-label="Loading the conversation"
      className="mx-auto flex w-full max-w-[748px] flex-1 flex-col gap-4 px-6 pt-6"
    >
      <Skeleton className="ml-auto h-10 w-2/3" />
      <Skeleton className="w-5/6" />
      <Skeleton className="w-4/6" />
      <Skeleton className="w-3/6" />
    </div>
  )
}

/** How long a second Escape counts as one, in ms. */
const ARMED_MS = 4000

/**
 * Escape, unless an inner layer handles it, asks whether to stop; a second one stops. `work` is what runs now
 * (undefined: nothing). Returns whether the next Escape stops it.
 */
function useStopKey(
  sessionId: string,
  root: RefObject<HTMLElement | null>,
  work: string | undefined,
  stop: () => void,
): boolean {
  const [armed, setArmed] = useState<string>()
  useEffect(() => {
    if (armed === undefined) return undefined
    const timer = setTimeout(() => setArmed(undefined), ARMED_MS)
    return () => clearTimeout(timer)
  }, [armed])
  useEscape('stop', work !== undefined, (event) => {
    // The key may belong to another part of the page: the session list, a terminal.
    const here =
      (event.target === document.body && frontSession() === sessionId) ||
      (event.target instanceof Node && root.current?.contains(event.target))
    if (!here) return false
    if (event.repeat) return true
    const isSecond = armed === work
    setArmed(isSecond ? undefined : work)
    if (isSecond) stop()
    return true
  })
  return work !== undefined && armed === work
}
