import type { Failure } from '../../errors'

/** The format of a place's name, which is part of addresses and of commands. */
export const PLACE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/

/** How to connect to a place. */
export type PlaceLaunch =
  | {
      kind: 'ssh'
      /** As passed to ssh: a host, `user@host`, or a name from the ssh configuration. */
      host: string
      port?: number
      /** An ssh configuration other than the user's. */
      configFile?: string
    }
  | {
      kind: 'slurm'
      /** The host with the scheduler's commands, as passed to ssh; absent: this machine. */
      host?: string
      configFile?: string
      partition?: string
      /** As Slurm writes it, e.g. `8:00:00`. */
      time?: string
      cpus?: number
      /** As Slurm writes it, e.g. `16G`. */
      memory?: string
      account?: string
      /** Runs subagents of its sessions as separate jobs, with the same limits. */
      agentJobs?: boolean
    }
  | {
      kind: 'container'
      program: ContainerProgram
      /** A container that the user runs; or `image`. */
      container?: string
      /** Trestle starts a container from it, and stops it when the place is disconnected. */
      image?: string
      /** A folder of this machine that is mounted in the container at the same path. */
      mount?: string
      perSession?: boolean
    }
  | {
      kind: 'devcontainer'
      /** The project of this machine with its `.devcontainer`. */
      folder: string
      /** A `devcontainer.json` other than the project's default. */
      configFile?: string
      /** Default: docker. */
      program?: ContainerProgram
      perSession?: boolean
    }
  | {
      kind: 'kubernetes'
      /** A kubeconfig other than the user's. */
      configFile?: string
      context?: string
      namespace?: string
      /** The image of a separate Sandbox; or `pool`. */
      image?: string
      /** A SandboxWarmPool from which a SandboxClaim gets a Sandbox. */
      pool?: string
      cpus?: number
      /** As Kubernetes writes it, e.g. `16Gi`. */
      memory?: string
      /** Size of a volume for the home folder, which is kept while the Sandbox is suspended. */
      storage?: string
      /** E.g. `gvisor`. */
      runtimeClass?: string
      perSession?: boolean
    }

export type ContainerProgram = 'docker' | 'podman'

/** The launch options of one kind of place. */
export type LaunchOf<Kind extends PlaceLaunch['kind']> = Extract<PlaceLaunch, { kind: Kind }>

/** Whether each new session on the place gets its own container. */
export function isPerSession(launch: PlaceLaunch): boolean {
  return 'perSession' in launch && launch.perSession === true
}

/** Whether Trestle starts its container or Sandbox, and stops it when the place is disconnected. */
export function isStartedByUs(launch: PlaceLaunch): boolean {
  return (
    launch.kind === 'devcontainer' ||
    launch.kind === 'kubernetes' ||
    (launch.kind === 'container' && launch.image !== undefined)
  )
}

/** Another machine, container or job that sessions can work in. */
export interface Place {
  /** Chosen by the user; never changes. */
  placeId: string
  launch: PlaceLaunch
  /** TRESTLE_HOME there; absent: `~/.trestle`. */
  home?: string
  /** An installed `trestle` there; absent: this version is copied there. */
  program?: string
  /** Where model calls of its sessions are made: on this machine, with the keys stored here (default), or there. */
  models?: 'here' | 'there'
  /** Whether its engine keeps running when the connection ends, if that version supports it; default: yes. */
  keepsRunning?: boolean
  /** The place that this one was created for, which has one container per session. */
  parent?: string
  /** ms since the epoch. */
  addedAt: number
}

/**
 * `idle`: not connected, because no client needs it. `waiting`: queued by a scheduler. `connecting`: for the first
 * time, or shortly after a loss. `unreachable`: attempts fail and are repeated.
 */
export type PlaceState = 'idle' | 'waiting' | 'connecting' | 'connected' | 'unreachable'

/** A question of ssh to the user while it connects. */
export interface PlaceQuestion {
  questionId: string
  text: string
  /** `secret`: a password or passphrase, never shown or stored. `confirm`: yes or no. */
  kind: 'secret' | 'confirm' | 'text'
}

/** A place with its state. */
export interface PlaceView extends Place {
  state: PlaceState
  /** When this state began, ms since the epoch; 0: unknown. */
  since: number
  /** Why it is unreachable or waiting. */
  failure?: Failure
  /** What is happening now, e.g. that Trestle is being copied; a sentence. */
  progress?: string
  /** Version of Trestle there, while connected. */
  version?: string
  /** Whether running turns continue there when the connection is lost. */
  staysRunning?: boolean
  question?: PlaceQuestion
  /** How many of its sessions are known. */
  sessions: number
}

/** A machine, as detected when connecting. */
export interface PlaceFacts {
  system: string
  arch: string
  /** E.g. `glibc 2.36`, or `musl`. */
  libc: string
  user: string
  host: string
  diskFreeBytes?: number
  memoryFreeBytes?: number
  cores?: number
  /** Average number of running processes in the last minute. */
  load?: number
  /** Versions of Trestle that were copied there. */
  installed: InstalledBundle[]
}

export interface InstalledBundle {
  /** Its content hash. */
  hash: string
  version: string
  bytes: number
  /** It is the version of this machine. */
  isCurrent: boolean
}

const TEST_STEPS = ['connect', 'program', 'engine'] as const

/** One step of testing a place. */
export interface PlaceTestStep {
  step: (typeof TEST_STEPS)[number]
  ok: boolean
  /** The result, or why it failed. */
  text: string
  advice?: string
  durationMs: number
}

export interface PlaceTest {
  ok: boolean
  steps: PlaceTestStep[]
  facts?: PlaceFacts
  /** Median of a few calls, in ms. */
  roundTripMs?: number
}

/** The result of removing a place. */
export interface PlaceRemoved {
  /** What was deleted permanently, e.g. `container 3f2a1b`. */
  deleted: string[]
  /** What could not be stopped or cleaned up, and why. */
  note?: string
}

/** A command that ran on a place. */
export interface PlaceRun {
  exitCode: number
  stdout: string
  stderr: string
}

/** What the user should know about a kind of place before relying on it. */
export function launchNote({ kind }: Pick<PlaceLaunch, 'kind'>): string | undefined {
  return kind === 'kubernetes' ? 'Kubernetes is tested against a recorded API server only.' : undefined
}

/** A place's connection in one line: `ssh ada@build.example`. */
export function launchText(launch: PlaceLaunch): string {
  const each = isPerSession(launch) ? ', one for each session' : ''
  switch (launch.kind) {
    case 'ssh':
      return `ssh ${launch.host}`
    case 'slurm':
      return launch.host === undefined ? 'Slurm' : `Slurm on ${launch.host}`
    case 'container':
      return launch.container === undefined
        ? `${launch.program} image ${launch.image ?? ''}${each}`
        : `${launch.program} ${launch.container}`
    case 'devcontainer':
      return `dev container of ${launch.folder}${each}`
    default:
      return `Kubernetes${launch.context === undefined ? '' : ` (${launch.context})`} ${
        launch.pool === undefined ? `image ${launch.image ?? ''}` : `pool ${launch.pool}`
      }${each}`
  }
}
