import { spawn, type ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import { STARTED_BY_COMMAND } from '../desktop-login-shell'
import { whyElectronEnded } from './early-exit'
import { ReadyFile } from './ready-file'

/** How the desktop app ended; `failed` says why it did not even begin. */
export type ElectronEnd = { code: number } | { failed: string }

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** What it printed last may come after its end. */
const LAST_WORDS_MS = 1_000
/** What it prints before it is ready, by when it is shown all the same. */
const MOST_HELD_BACK = 64 * 1024

/**
 * Runs the desktop app until it ends. Signals are handed on to it. What it prints before it is ready is held back: should it not come so far, only one line is worth reading.
 */
export async function runElectron(path: string, args: readonly string[]): Promise<ElectronEnd> {
  const ready = new ReadyFile()
  let app: ChildProcess | undefined
  let asked: NodeJS.Signals | undefined
  // Before there is anything to end, so that no signal comes in between.
  const handOn = SIGNALS.map((signal) => {
    const listener = (): void => {
      asked = signal
      app?.kill(signal)
    }
    process.on(signal, listener)
    return () => process.off(signal, listener)
  })
  let [heldBack, isShown] = ['', false]
  const show = (): void => {
    isShown = true
    process.stderr.write(heldBack)
    heldBack = ''
  }
  const stopWaiting = ready.onReady(show)
  let late: NodeJS.Timeout | undefined
  try {
    const started = spawn(path, args, {
      stdio: ['inherit', 'inherit', 'pipe'],
      env: { ...process.env, [STARTED_BY_COMMAND]: '1', ...ready.env },
    })
    app = started
    started.stderr.setEncoding('utf8').on('data', (text: string) => {
      heldBack += text
      if (isShown || heldBack.length > MOST_HELD_BACK) show()
    })
    return await new Promise<ElectronEnd>((resolve) => {
      started.once('error', (error) => resolve({ failed: whyElectronEnded({ path, ending: '', printed: '', error }) }))
      const ended = (code: number | null, signal: NodeJS.Signals | null): void => {
        const hasBegun = ready.isThere || code === 0 || asked !== undefined
        if (!hasBegun) return resolve({ failed: whyElectronEnded({ path, ending: signal ?? `exit code ${code}`, printed: heldBack }) })
        show()
        resolve({ code: signal ? exitCodeOf(signal) : (code ?? 1) })
      }
      started.once('close', ended)
      // A browser that the app has opened may keep its output open.
      started.once('exit', (code, signal) => {
        late = setTimeout(() => ended(code, signal), LAST_WORDS_MS)
      })
    })
  } finally {
    for (const stop of [stopWaiting, ...handOn]) stop()
    clearTimeout(late)
    app?.stderr?.destroy()
  }
}

/** As shells have it. */
function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal]
}
