import type { BrowserWindow } from 'electron'
import type { SessionSummary } from '../../../../shared/model/session/session'
import type { ElectronModule } from '../platform/electron-module'
import type { Engine } from '../../../engine/engine-api'
import { cutText } from '../../../../shared/cut-text'

export interface QuitGuardOptions {
  electron: Pick<ElectronModule, 'app' | 'dialog'>
  platform: NodeJS.Platform
  /** Sessions with a running turn. */
  running(): readonly SessionSummary[]
  /** Asks what to do with background tasks, if the settings require it. */
  confirmTasks(window: BrowserWindow | undefined): Promise<'keep' | 'stop' | 'cancel' | undefined>
  windows: {
    list(): BrowserWindow[]
    current(): BrowserWindow | undefined
    show(): void
    freeze(): void
    unfreeze(): void
  }
  /** Whether the app keeps running without a window. */
  staysWithoutWindow(): boolean
  /** Releases everything except the engine. `isSystemEnd`: the user logs out or the computer shuts down. */
  onClosing(isSystemEnd: boolean): void
  /** Whether running work can be handed over to another engine. */
  canLeave: boolean
  /** Hands running work over to the next engine; `resident`: to one that is started now. */
  leaveEngine(options: { resident: boolean; limitMs: number }): Promise<void>
  /** Closes the engine, which records how its turns ended. */
  closeEngine(background: 'keep' | 'stop' | undefined): Promise<void>
  /** Timeout for closing the engine, in ms. */
  limitMs: number
  /** Cleanup after the engine is closed. Never rejects. */
  afterClosing(isSystemEnd: boolean): Promise<void>
  log(message: string): void
}

/** How long the system waits at a logout or shutdown, in ms. */
const SHUTDOWN_LIMIT_MS = 2000

/**
 * Controls how the app quits. Closing the last window or quitting while turns run asks what to do with them; then the
 * engine gets time to record how they ended, or to hand them over to a resident engine. When the user logs out or the
 * computer shuts down, the app does not ask or delay: everything recorded is safe, and the next start continues or
 * offers to resume.
 */
export class QuitGuard {
  readonly #options: QuitGuardOptions
  #state: 'open' | 'asking' | 'closing' | 'closed' = 'open'
  #isSystemEnd = false
  /** The user chose to keep working without a window. */
  #isInBackground = false
  readonly #stopAsking = new AbortController()

  constructor(options: QuitGuardOptions) {
    this.#options = options
    const { app } = options.electron
    app.on('before-quit', (event) => {
      if (this.#state === 'closed') return
      if (this.#isSystemEnd) {
        // macOS would treat a prevented quit as a cancelled logout.
        void this.#close(undefined)
        return
      }
      event.preventDefault()
      if (this.#state === 'open') void this.#ask(options.windows.current(), 'quit')
    })
    app.on('window-all-closed', () => {
      if (this.#state !== 'open' || this.#isInBackground || options.staysWithoutWindow()) return
      app.quit()
    })
  }

  /** Asks before closing the last window if that quits the app. */
  guardWindow(window: BrowserWindow): void {
    window.on('close', (event) => {
      const isLast = this.#options.windows.list().length === 1
      if (
        this.#state === 'closing' ||
        this.#state === 'closed' ||
        !isLast ||
        this.#isInBackground ||
        this.#options.staysWithoutWindow()
      )
        return
      if (this.#options.running().length === 0) return
      event.preventDefault()
      if (this.#state === 'open') void this.#ask(window, 'close')
    })
    // Windows only, which sends no `before-quit` in this case.
    window.on('query-session-end', () => this.onSystemShutdown())
    window.on('session-end', () => this.onSystemShutdown())
  }

  /** The user logs out or the computer shuts down: save what is possible in time. */
  onSystemShutdown(): void {
    if (this.#isSystemEnd) return
    this.#isSystemEnd = true
    this.#stopAsking.abort()
    void this.#close(undefined)
  }

  /** Call it when a window is open again. */
  onWindowOpened(): void {
    this.#isInBackground = false
  }

  /** Call it when work has started or ended: an app that stayed open only for it then quits. */
  onActivityChanged(): void {
    if (!this.#isInBackground || this.#state !== 'open' || this.#options.running().length > 0) return
    if (this.#options.windows.list().length === 0 && !this.#options.staysWithoutWindow())
      this.#options.electron.app.quit()
  }

  async #ask(window: BrowserWindow | undefined, about: 'quit' | 'close'): Promise<void> {
    const { windows, confirmTasks } = this.#options
    this.#state = 'asking'
    windows.freeze()
    const stay = (): void => {
      this.#state = 'open'
      windows.unfreeze()
    }
    const running = this.#options.running()
    const answer =
      running.length === 0
        ? 'stop'
        : await this.#answered(() =>
            confirmRunningTurns(this.#options.electron, running, window, this.#stopAsking.signal),
          )
    if (this.#isSystemEnd) return
    if (answer === 'background' && this.#options.canLeave) return this.#close('keep', 'leave')
    if (answer === 'background') {
      stay()
      this.#isInBackground = true
      for (const open of windows.list()) open.close()
      return
    }
    if (answer === 'cancel') {
      stay()
      if (about === 'quit') windows.show()
      return
    }
    const background = await this.#answered(() => confirmTasks(window))
    if (this.#isSystemEnd) return
    if (background === 'cancel') {
      stay()
      windows.show()
    } else await this.#close(background)
  }

  /** Never rejects: a dialog that cannot be shown must not keep the app from quitting. */
  async #answered<Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await ask()
    } catch (error) {
      this.#options.log(`asking before the end failed: ${String(error)}`)
      return undefined
    }
  }

  async #close(background: 'keep' | 'stop' | undefined, how: 'stop' | 'leave' = 'stop'): Promise<void> {
    if (this.#state === 'closing' || this.#state === 'closed') return
    this.#state = 'closing'
    const { electron, closeEngine, leaveEngine, canLeave, onClosing, limitMs, windows, log } = this.#options
    windows.freeze()
    onClosing(this.#isSystemEnd)
    const limit = this.#isSystemEnd ? Math.min(limitMs, SHUTDOWN_LIMIT_MS) : limitMs
    let timer: NodeJS.Timeout | undefined
    const timeUp = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        log(`the engine did not close within ${limit} ms`)
        resolve()
      }, limit)
    })
    const leaves = canLeave && (how === 'leave' || this.#isSystemEnd)
    const ending = leaves
      ? leaveEngine({ resident: !this.#isSystemEnd, limitMs: Math.round(limit / 2) })
      : closeEngine(background)
    const closed = ending.catch((error: unknown) => log(`closing failed: ${String(error)}`))
    await Promise.race([closed, timeUp])
    clearTimeout(timer)
    await this.#options.afterClosing(this.#isSystemEnd)
    this.#state = 'closed'
    electron.app.quit()
  }
}

/** Maximum names listed. */
const MAX_LISTED_SESSIONS = 8
const TURN_ANSWERS = ['background', 'stop', 'cancel'] as const

/** Asks what to do with running turns when the app is about to quit. */
async function confirmRunningTurns(
  { dialog }: Pick<ElectronModule, 'dialog'>,
  running: readonly SessionSummary[],
  window: BrowserWindow | undefined,
  signal: AbortSignal,
): Promise<(typeof TURN_ANSWERS)[number]> {
  const names = running
    .slice(0, MAX_LISTED_SESSIONS)
    .map(({ title }) => `• ${cutText(title === '' ? 'New session' : title, 80)}`)
  if (running.length > MAX_LISTED_SESSIONS) names.push(`and ${running.length - MAX_LISTED_SESSIONS} more`)
  const question = {
    type: 'question' as const,
    message: running.length === 1 ? 'A session is still working.' : `${running.length} sessions are still working.`,
    detail:
      `${names.join('\n')}\n\nThey can finish in the background without a window. ` +
      'If you stop them, you can continue them the next time you open Trestle.',
    buttons: ['Keep working in the background', 'Stop and quit', 'Cancel'],
    defaultId: 0,
    cancelId: 2,
    signal,
  }
  const { response } = await (window ? dialog.showMessageBox(window, question) : dialog.showMessageBox(question))
  return TURN_ANSWERS[response] ?? 'cancel'
}

/** Maximum names listed. */
const MAX_LISTED_TASKS = 8
const TASK_ANSWERS = ['keep', 'stop', 'cancel'] as const

/** Asks what to do with running background tasks, if the settings require it; `undefined`: nothing to ask. */
export async function confirmBackgroundTasks(
  { dialog }: Pick<ElectronModule, 'dialog'>,
  { tasks }: Pick<Engine, 'tasks'>,
  window: BrowserWindow | undefined,
): Promise<(typeof TASK_ANSWERS)[number] | undefined> {
  if (tasks.onExit() !== 'ask') return undefined
  const running = (await tasks.list({ activeOnly: true })).filter(({ background }) => background)
  if (running.length === 0) return undefined
  const names = running
    .slice(0, MAX_LISTED_TASKS)
    .map(({ description, command }) => `• ${cutText(description ?? command, 80)}`)
  if (running.length > MAX_LISTED_TASKS) names.push(`and ${running.length - MAX_LISTED_TASKS} more`)
  const options = {
    type: 'question' as const,
    message: running.length === 1 ? 'A background task is running.' : `${running.length} background tasks are running.`,
    detail: `${names.join('\n')}\n\nThey can keep running without Trestle, and reappear when you open it again.`,
    buttons: ['Keep running', 'Stop', 'Cancel'],
    defaultId: 0,
    cancelId: 2,
  }
  const { response } = await (window ? dialog.showMessageBox(window, options) : dialog.showMessageBox(options))
  return TASK_ANSWERS[response] ?? 'cancel'
}
