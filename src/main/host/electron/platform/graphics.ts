import type { ElectronModule } from './electron-module'
import type { DesktopFile } from './desktop-file'

/** Crash threshold of the graphics process: this many within this many ms; Chromium ends the app soon after. */
const MAX_CRASHES = 3
const SPAN_MS = 5 * 60_000

export interface GraphicsOptions {
  electron: Pick<ElectronModule, 'app' | 'dialog'>
  file: DesktopFile
  log(message: string): void
}

/**
 * Crashes of the graphics process, counted across starts: each is saved immediately, because the next may end the app.
 */
export class Graphics {
  readonly #options: GraphicsOptions
  #isAsking = false

  constructor(options: GraphicsOptions) {
    this.#options = options
  }

  /** Before Electron is ready. */
  begin(): void {
    const { electron, file } = this.#options
    if (!file.values.acceleratedGraphics) electron.app.disableHardwareAcceleration()
    electron.app.on('child-process-gone', (_event, { type, reason }) => {
      if (type === 'GPU' && reason !== 'clean-exit' && reason !== 'killed') this.#crashed()
    })
  }

  /** Call it once the app is ready: asks the user if graphics crashed too often during the last run. */
  ready(): void {
    if (this.#recent().length >= MAX_CRASHES) void this.#ask()
  }

  get isAccelerated(): boolean {
    return this.#options.file.values.acceleratedGraphics
  }

  /** Applies at the next start. */
  setAccelerated(acceleratedGraphics: boolean): void {
    this.#options.file.change({ acceleratedGraphics, graphicsCrashes: [] })
  }

  restartWithout(): void {
    const { app } = this.#options.electron
    this.setAccelerated(false)
    app.relaunch()
    app.quit()
  }

  #recent(): number[] {
    return this.#options.file.values.graphicsCrashes.filter((at) => Date.now() - at < SPAN_MS)
  }

  #crashed(): void {
    if (!this.isAccelerated) return
    this.#options.file.change({ graphicsCrashes: [...this.#recent(), Date.now()] })
    if (this.#recent().length >= MAX_CRASHES && this.#options.electron.app.isReady()) void this.#ask()
  }

  async #ask(): Promise<void> {
    if (this.#isAsking || !this.isAccelerated) return
    this.#isAsking = true
    const { electron, file, log } = this.#options
    const question = {
      type: 'warning' as const,
      message: 'The graphics driver keeps crashing.',
      detail: 'Trestle can restart without graphics acceleration. You can turn it on again in Settings → Desktop.',
      buttons: ['Restart without acceleration', 'Not now'],
      defaultId: 0,
      cancelId: 1,
    }
    try {
      const { response } = await electron.dialog.showMessageBox(question)
      if (response === 0) this.restartWithout()
      else file.change({ graphicsCrashes: [] })
    } catch (error) {
      log(`asking about graphics failed: ${String(error)}`)
    } finally {
      this.#isAsking = false
    }
  }
}
