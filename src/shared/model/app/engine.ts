/** Who holds the engine of a home: the desktop app while it is open, else `trestle engine`. */
export const ENGINE_HOLDERS = ['desktop', 'engine'] as const

/** The engine of a home as its clients see it. */
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
  /** Background tasks that run. */
  tasks: number
  /** Set once it is to stop or restart as soon as it has nothing to do. */
  whenIdle?: 'stop' | 'restart'
}

/**
 * How the engine stops: at once, where turns are stopped and recorded as stopped; as soon as nothing runs; or now, with
 * everything that runs left to the next holder, each session at its next step.
 */
export const ENGINE_STOPS = ['now', 'when-idle', 'hand-over'] as const
export type EngineStop = (typeof ENGINE_STOPS)[number]
