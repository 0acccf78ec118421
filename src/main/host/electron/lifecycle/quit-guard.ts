import type { BrowserWindow } from 'electron'
import type { SessionSummary } from '../../../../shared/model/session'
import type { ElectronModule } from '../platform/electron-module'
import type { Engine } from '../../../engine/engine-api'

export interface QuitGuardOptions {
  electron: Pick<ElectronModule, 'app' | 'dialog'>
  platform: NodeJS.Platform
  /** Sessions with a turn that runs. */
  running(): readonly SessionSummary[]
  /** Asks what becomes of background tasks, where the settings say so. */
  confirmTasks(window: BrowserWindow | undefined): Promise<'keep' | 'stop' | 'cancel' | undefined>
  windows: {
    list(): BrowserWindow[]
    current(): BrowserWindow | undefined
    show(): void
    freeze(): void
    unfreeze(): void
  }
  /** Whether the app goes on without a window. */
  staysWithoutWindow(): boolean
  /** Lets everything go but the engine. `isSystemEnd`: the user logs out or the computer shuts down. */
  onClosing(isSystemEnd: boolean): void
  /** The engine records how its turns ended. */
  closeEngine(background: 'keep' | 'stop' | undefined): Promise<void>
  /** How long that may take, in ms. */
  limitMs: number
  /** What is left to do once the engine is closed. Never rejects. */
  afterClosing(isSystemEnd: boolean): Promise<void>
  log(message: string): void
}

/** At a log-out or shutdown the system waits no longer than this, in ms. */
const SHUTDOWN_LIMIT_MS = 2000

/**
 * How the app ends. Closing the last window or quitting while turns run asks what is to become of them; the engine has then time to record how they ended. When the user logs out or the
 * computer shuts down, nothing is asked and nothing is held up: what was recorded is there, and the next start offers to resume.
 */
export class QuitGuard {
  readonly #options: QuitGuardOptions
  #state: 'open' | 'asking' | 'closing' | 'closed' = 'open'
  #isSystemEnd = false
  /** The user chose to let the work go on without a window. */
  #isInBackground = false
  readonly #stopAsking = new AbortController()

  constructor(options: QuitGuardOptions) {
    this.#options = options
    const { app } = options.electron
    app.on('before-quit', (event) => {
      if (this.#state === 'closed') return
      if (this.#isSystemEnd) {
        // macOS would take a prevented quit for a cancelled log-out.
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

  /** Asks before the last window of an app that ends with it is closed. */
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
    // Windows only, where `before-quit` does not come then.
    window.on('query-session-end', () => this.onSystemShutdown())
    window.on('session-end', () => this.onSystemShutdown())
  }

  /** The user logs out or the computer shuts down: what can be saved in time is saved. */
  onSystemShutdown(): void {
    if (this.#isSystemEnd) return
    this.#isSystemEnd = true
    this.#stopAsking.abort()
    void this.#close(undefined)
  }

  /** A window is open again. */
  onWindowOpened(): void {
    this.#isInBackground = false
  }

  /** Work has ended or begun: an app that stayed only for it ends with it. */
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

  /** Never rejects: a question that cannot be asked must not keep the app from ending. */
  async #answered<Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await ask()
    } catch (error) {
      this.#options.log(`asking before the end failed: ${String(error)}`)
      return undefined
    }
  }

  async #close(background: 'keep' | 'stop' | undefined): Promise<void> {
    if (this.#state === 'closing' || this.#state === 'closed') return
    this.#state = 'closing'
    const { electron, closeEngine, onClosing, limitMs, windows, log } = this.#options
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
    const closed = closeEngine(background).catch((error: unknown) => log(`closing failed: ${String(error)}`))
    await Promise.race([closed, timeUp])
    clearTimeout(timer)
    await this.#options.afterClosing(this.#isSystemEnd)
    this.#state = 'closed'
    electron.app.quit()
  }
}

/** Longer lists are no help. */
const MAX_LISTED_SESSIONS = 8
const TURN_ANSWERS = ['background', 'stop', 'cancel'] as const

/** What is to become of turns that run when the app is about to end. */
async function confirmRunningTurns(
  { dialog }: Pick<ElectronModule, 'dialog'>,
  running: readonly SessionSummary[],
  window: BrowserWindow | undefined,
  signal: AbortSignal,
): Promise<(typeof TURN_ANSWERS)[number]> {
  const names = running
    .slice(0, MAX_LISTED_SESSIONS)
    .map(({ title }) => `• ${(title === '' ? 'New session' : title).slice(0, 80)}`)
  if (running.length > MAX_LISTED_SESSIONS) names.push(`and ${running.length - MAX_LISTED_SESSIONS} more`)
  const question = {
    type: 'question' as const,
    message: running.length === 1 ? 'A session is still working.' : `${running.length} sessions are still working.`,
    detail: `${names.join('\n')}\n\nThey can finish in the background without a window. If you stop them, you can continue them the next time you open Trestle.`,
    buttons: ['Keep working in the background', 'Stop and quit', 'Cancel'],
    defaultId: 0,
    cancelId: 2,
    signal,
  }
  const { response } = await (window ? dialog.showMessageBox(window, question) : dialog.showMessageBox(question))
  return TURN_ANSWERS[response] ?? 'cancel'
}

/** Longer lists are no help. */
const MAX_LISTED_TASKS = 8
const TASK_ANSWERS = ['keep', 'stop', 'cancel'] as const

/** What is to become of background tasks, asked where the settings say so and some run; `undefined`: nothing to ask. */
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
    .map(({ description, command }) => `• ${(description ?? command).slice(0, 80)}`)
  if (running.length > MAX_LISTED_TASKS) names.push(`and ${running.length - MAX_LISTED_TASKS} more`)
  const options = {
    type: 'question' as const,
    message: running.length === 1 ? 'A background task is running.' : `${running.length} background tasks are running.`,
    detail: `${names.join('\n')}\n\nThey can run on without Trestle, and are found again when it opens.`,
    buttons: ['Keep running', 'Stop', 'Cancel'],
    defaultId: 0,
    cancelId: 2,
  }
  const { response } = await (window ? dialog.showMessageBox(window, options) : dialog.showMessageBox(options))
  return TASK_ANSWERS[response] ?? 'cancel'
}
