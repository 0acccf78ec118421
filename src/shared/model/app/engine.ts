/** The process that runs the engine of a home: the desktop app while it is open, otherwise `trestle engine`. */
export const ENGINE_HOLDERS = ['desktop', 'engine'] as const

/** The engine of a home, for its clients. */
export interface EngineStatus {
  holder: (typeof ENGINE_HOLDERS)[number]
  /** Version of its Trestle. */
  version: string
  pid: number
  /** ms since the epoch. */
  startedAt: number
  /** Connected clients. */
  clients: number
  /** Sessions with a running turn. */
  running: number
  /** Running background tasks. */
  tasks: number
  /** Set if it should stop or restart as soon as it is idle. */
  whenIdle?: 'stop' | 'restart'
}

/**
 * How the engine stops. `now`: turns are stopped and recorded as stopped. `when-idle`: as soon as nothing runs.
 * `hand-over`: now, with all running work left to the next engine, each session at its next step.
 */
export const ENGINE_STOPS = ['now', 'when-idle', 'hand-over'] as const
export type EngineStop = (typeof ENGINE_STOPS)[number]
