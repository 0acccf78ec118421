import type { Failure } from '../errors'

/** What a name of a place may be: it is part of addresses and of commands. */
export const PLACE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/

/** How a place is reached. */
export type PlaceLaunch =
  | {
      kind: 'ssh'
      /** As given to ssh: a host, `user@host`, or a name from the ssh configuration. */
      host: string
      port?: number
      /** Another ssh configuration than the user's. */
      configFile?: string
    }
  | {
      kind: 'slurm'
      /** The host with the scheduler's commands, as given to ssh; absent: this machine. */
      host?: string
      configFile?: string
      partition?: string
      /** As Slurm writes it, e.g. `8:00:00`. */
      time?: string
      cpus?: number
      /** As Slurm writes it, e.g. `16G`. */
      memory?: string
      account?: string
      /** Subagents of its sessions run as jobs of their own, with the same limits. */
      agentJobs?: boolean
    }
  | { kind: 'container'; program: 'docker' | 'podman'; container: string }

/** Another machine, container or job that sessions can work in. */
export interface Place {
  /** Chosen by the user; stays the same. */
  placeId: string
  launch: PlaceLaunch
  /** TRESTLE_HOME there; absent: `~/.trestle`. */
  home?: string
  /** A `trestle` that is installed there; absent: this version is copied there. */
  program?: string
  /** Where model calls of its sessions are made: on this machine, with the keys kept here (default), or there. */
  models?: 'here' | 'there'
  /** Whether its engine stays when the connection ends, where that version can; default: yes. */
  keepsRunning?: boolean
  /** ms since the epoch. */
  addedAt: number
}

/**
 * `idle`: not connected, because no client needs it. `waiting`: a scheduler has it queued. `connecting`: for the first
 * time, or shortly after a loss. `unreachable`: attempts fail; it is tried again.
 */
export type PlaceState = 'idle' | 'waiting' | 'connecting' | 'connected' | 'unreachable'

/** What ssh asks the user while it connects. */
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
  /** What happens right now, e.g. that Trestle is being copied; a sentence. */
  progress?: string
  /** Version of Trestle there, while connected. */
  version?: string
  /** Whether running turns continue there when the connection is lost. */
  staysRunning?: boolean
  question?: PlaceQuestion
  /** How many of its sessions are known. */
  sessions: number
}

/** A machine as a place found it. */
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
  /** What was found, or why it failed. */
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

/** A command that ran on a place. */
export interface PlaceRun {
  exitCode: number
  stdout: string
  stderr: string
}

/** What a place is called in one line: `build-box (ssh ada@build.example)`. */
export function launchText(launch: PlaceLaunch): string {
  if (launch.kind === 'ssh') return `ssh ${launch.host}`
  if (launch.kind === 'container') return `${launch.program} ${launch.container}`
  return launch.host === undefined ? 'Slurm' : `Slurm on ${launch.host}`
}
