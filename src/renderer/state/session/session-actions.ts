import { useMemo } from 'react'
import type { TrestleClient } from '../../../shared/contract'
import { isScratchFolder, projectFolder } from '../../../shared/model/project/scratch-folder'
import type { SearchHit, SessionHeader } from '../../../shared/model/session/session'
import { goToMessage, sessionStore } from './session-view'
import { requestRestore } from './restore-state'
import { useLayout } from '../page/layout-state'
import { linkTo } from './route'
import { useSessions } from '../session-list/sessions-state'
import { askAboutSession, type SessionDialog } from './session-dialog-state'
import type { ExportFormat } from '../../../shared/model/session/conversation'
import { failureFrom } from '../../client/failure-from'
import { showFailureToast, showToast, showUserToast } from '../page/toasts-state'
import { useClient } from '../page/queries'
import { SESSION_MODES, type SessionMode } from '../../../shared/model/approval/approval'

export interface SessionActions {
  open(sessionId: string): void
  /** Opens the session at the matching message. */
  openHit(hit: SearchHit): void
  /** Opens an empty session in the folder: an unused one, or a new one. */
  begin(folder: string): void
  rename(sessionId: string, title: string): void
  archive(sessionId: string, archived: boolean): void
  /** `worktreeId`: its worktree, which is removed as well. */
  remove(sessionId: string, worktreeId?: string): void
  copyId(sessionId: string): void
  copyText(text: string): void
  /** Copies a link to the session, or to one of its messages. */
  copyLink(sessionId: string, seq?: number): void
  /** Saves the conversation as a file. */
  export(sessionId: string, format: ExportFormat): void
  /** Lets the user choose a file that was exported as JSON, and opens it as a new session. */
  importFile(): void
  /** Opens a dialog about the session. */
  ask(dialog: SessionDialog): void
  /** Forks the session: a new one starts with the conversation up to the event `to`; default: all of it. */
  fork(sessionId: string, to?: number): void
}

/**
 * Actions on sessions that are available everywhere. The list is updated by the engine's push; a failure is shown in a
 * toast.
 */
export function useSessionActions(): SessionActions {
  const client = useClient()
  return useMemo(() => sessionActions(client), [client])
}

function sessionActions(client: TrestleClient): SessionActions {
  return {
    open: (sessionId) => useLayout.getState().openSession(sessionId),
    openHit: ({ sessionId, seq }) => {
      useLayout.getState().openSession(sessionId)
      attempt(goToMessage(client, sessionId, seq))
    },
    begin: (folder) => {
      const unused = [...useSessions.getState().sessions.values()].find(
        (summary) =>
          projectFolder(summary.folder) === folder &&
          !summary.archived &&
          summary.title === '' &&
          summary.status === 'idle' &&
          summary.elsewhere === undefined,
      )
      if (unused) useLayout.getState().openSession(unused.sessionId)
      else
        attempt(
          client.session
            .create(isScratchFolder(folder) ? {} : { folder })
            .then((header) => useLayout.getState().openSession(header.sessionId)),
        )
    },
    rename: (sessionId, title) => attempt(client.session.change({ sessionId, title })),
    archive: (sessionId, archived) =>
      attempt(
        client.session.change({ sessionId, archived }).then(() =>
          archived
            ? showToast('Session archived', {
                label: 'Undo',
                run: () => attempt(client.session.change({ sessionId, archived: false })),
              })
            : showToast('Session restored'),
        ),
      ),
    remove: (sessionId, worktreeId) =>
      attempt(
        (async () => {
          await client.session.remove({ sessionId })
          useLayout.getState().forgetSession(sessionId)
          const isShared = [...useSessions.getState().sessions.values()].some(
            (other) => other.sessionId !== sessionId && other.worktree?.worktreeId === worktreeId,
          )
          if (worktreeId === undefined || isShared) return
          const { removed } = await client.worktree.remove({ worktreeId })
          showToast(
            removed?.patch === undefined ? 'Worktree removed' : `Worktree removed, changes saved in ${removed.patch}`,
            {
              label: 'Restore',
              run: () => attempt(client.worktree.restore({ worktreeId })),
            },
          )
        })(),
      ),
    fork: (sessionId, to) =>
      attempt(
        client.session.fork({ sessionId, ...(to !== undefined && { to }) }).then((header) => {
          showToast('Session forked. Files weren’t changed.')
          return useLayout.getState().openSession(header.sessionId)
        }),
      ),
    export: (sessionId, format) => attempt(client.conversation.export({ sessionId, format }).then(saveTextFile)),
    importFile: () => attempt(importSession(client)),
    ask: (dialog) => askAboutSession(dialog),
    copyText: (text) => copy(text, 'Copied'),
    copyId: (sessionId) => copy(sessionId, 'Session ID copied'),
    copyLink: (sessionId, seq) => copy(linkTo(location.origin, sessionId, seq), 'Link copied'),
  }
}

/** Maximum number of characters of a file that can be sent to the engine in one request. */
const MAX_IMPORT = 30_000_000

async function importSession(client: TrestleClient): Promise<void> {
  const text = await readTextFile('.json,.jsonl,application/json')
  if (text === undefined) return
  if (text.length > MAX_IMPORT)
    throw new Error('The file is too large to import here. Import it in the terminal: trestle session import FILE')
  try {
    await importText(client, text, false)
  } catch (error) {
    const { code, title, message } = failureFrom(error)
    if (code !== 'history.changed') throw error
    showUserToast(title, `${message} Nothing was imported.`, {
      label: 'Import it as not verified',
      run: () => attempt(importText(client, text, true)),
    })
  }
}

async function importText(client: TrestleClient, text: string, unverified: boolean): Promise<void> {
  const { sessionId, imported } = await client.conversation.import({ text, unverified })
  useLayout.getState().openSession(sessionId)
  const folder = imported?.folder
  const isKnown = [...useSessions.getState().sessions.values()].some((summary) => summary.folder === folder)
  if (folder !== undefined && isKnown)
    showToast('Session imported', {
      label: 'Use its project folder',
      run: () => attempt(client.conversation.relink({ sessionId, to: folder })),
    })
  else
    showToast('Session imported', {
      label: 'Choose its folder…',
      run: () => askAboutSession({ kind: 'relink', sessionId, folder: folder ?? '' }),
    })
}

/** Asks how to go back to before the last message of the user. */
export function undoLastMessage(client: TrestleClient, sessionId: string): void {
  const items = sessionStore(client, sessionId).store.getState().view?.items
  const last = items?.findLast((item) => item.kind === 'user' && !item.steered)
  if (last?.kind === 'user') requestRestore({ sessionId, to: Number(last.id.slice(1)) - 1, parts: last.parts })
  else showToast('There is no message to restore to')
}

function copy(text: string, message: string): void {
  attempt(navigator.clipboard.writeText(text).then(() => showToast(message)))
}

function attempt(work: Promise<unknown>): void {
  work.catch(showFailureToast)
}

/** The mode of a session as shown: plan mode takes precedence over the permission mode. */
export function modeOf({ mode, plan }: Pick<SessionHeader, 'mode' | 'plan'>): SessionMode {
  return plan?.active ? 'plan' : mode
}

export function followingMode(mode: SessionMode): SessionMode {
  return SESSION_MODES[(SESSION_MODES.indexOf(mode) + 1) % SESSION_MODES.length] ?? 'ask'
}

/** Switches a session's mode; a failure is shown in a toast. */
export function changeMode(
  client: TrestleClient,
  header: Pick<SessionHeader, 'sessionId' | 'mode' | 'plan'>,
  to: SessionMode,
): void {
  change(client, header, to).catch(showFailureToast)
}

async function change(
  client: TrestleClient,
  { sessionId, mode, plan }: Pick<SessionHeader, 'sessionId' | 'mode' | 'plan'>,
  to: SessionMode,
): Promise<void> {
  if (to === 'plan') return void (await client.plan.enter({ sessionId }))
  // In this order, so that requests held back by plan mode never meet a laxer mode than the chosen one.
  if (to !== mode) await client.session.change({ sessionId, mode: to })
  if (plan?.active) await client.plan.leave({ sessionId })
}

/** Saves a text as a file with the browser, or through the dialog of the desktop app. */
function saveTextFile({ name, mediaType, text }: { name: string; mediaType: string; text: string }): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${mediaType};charset=utf-8` }))
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  URL.revokeObjectURL(url)
}

/** Lets the user choose a file and reads it; undefined when none was chosen. */
function readTextFile(accept: string): Promise<string | undefined> {
  const input = Object.assign(document.createElement('input'), { type: 'file', accept })
  return new Promise((resolve, reject) => {
    input.addEventListener('cancel', () => resolve(undefined))
    input.addEventListener('change', () => {
      const [file] = input.files ?? []
      if (file) file.text().then(resolve, reject)
      else resolve(undefined)
    })
    input.click()
  })
}
