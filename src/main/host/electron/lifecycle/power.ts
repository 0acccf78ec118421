import type { ElectronModule } from '../platform/electron-module'
import type { ActivityMonitor } from './session-activity'

export interface PowerOptions {
  electron: Pick<ElectronModule, 'powerMonitor' | 'powerSaveBlocker'>
  work: ActivityMonitor
  /** Whether to keep the computer awake while a turn runs. */
  isWanted(): boolean
  /** Called after sleep, with its duration in ms. */
  onResume(sleptMs: number): void
  /** The clock in ms; by default the system's, which keeps running during sleep. */
  now?(): number
}

export interface Power {
  /** Call it when the setting may have changed. */
  update(): void
  close(): void
}

/** Keeps the computer awake while a turn runs (the display may turn off), and reports sleep. */
export function watchPower({
  electron: { powerMonitor, powerSaveBlocker },
  work,
  isWanted,
  onResume,
  now = Date.now,
}: PowerOptions): Power {
  let blocker: number | undefined
  let suspendedAt: number | undefined
  const update = (): void => {
    const isNeeded = isWanted() && work.work.running.length > 0
    if (isNeeded && blocker === undefined) blocker = powerSaveBlocker.start('prevent-app-suspension')
    else if (!isNeeded && blocker !== undefined) {
      powerSaveBlocker.stop(blocker)
      blocker = undefined
    }
  }
  const suspend = (): void => {
    suspendedAt = now()
  }
  const resume = (): void => {
    onResume(suspendedAt === undefined ? 0 : now() - suspendedAt)
    suspendedAt = undefined
  }
  const stop = work.onChange(update)
  powerMonitor.on('suspend', suspend)
  powerMonitor.on('resume', resume)
  update()
  return {
    update,
    close() {
      stop()
      powerMonitor.off('suspend', suspend)
      powerMonitor.off('resume', resume)
      if (blocker !== undefined) powerSaveBlocker.stop(blocker)
    },
  }
}
