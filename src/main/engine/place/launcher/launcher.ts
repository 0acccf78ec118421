import type { Readable, Writable } from 'node:stream'
import type { PlaceFacts } from '../../../../shared/model/place/place'

/** A running program on a place: two byte streams, its stderr, and its end. */
export interface Channel {
  input: Writable
  output: Readable
  /** The newest part of stderr. */
  errors(): string
  /** Resolves once the program, or the connection to it, has ended. */
  ended: Promise<ChannelEnd>
  /** Ends the local side immediately. */
  kill(): void
  /** The local process. */
  pid: number | undefined
}

export interface ChannelEnd {
  exitCode: number | null
  signal: NodeJS.Signals | null
}

export interface ShellResult {
  exitCode: number
  stdout: string
  stderr: string
}

/** How a launcher can ask the user. */
export interface LaunchAsk {
  /** `never`: fails instead of asking. `terminal`: the program asks in this terminal. `user`: through `answer`. */
  way: 'never' | 'terminal' | 'user'
  /** Passes a question of ssh to the user; null: cancelled. */
  answer?(question: { text: string; kind: 'secret' | 'confirm' | 'text' }): Promise<string | null>
}

/** A POSIX shell on a place. Every launcher provides one, with its own way of reaching the place. */
export interface PlaceShell {
  /**
   * Makes sure that its container, pod or job exists; starts it unless the attempt is automatic. Call it before
   * anything else.
   */
  ready?(options: PrepareOptions): Promise<void>
  /** Starts a script; the caller reads and ends it. */
  start(script: string, options?: StartOptions): Channel
  /** Connects to a TCP port of loopback there; absent: a program there does it. */
  connect?(port: number): Channel
  /** The error for a failure to reach the place; `result` is that of a script that never ran. */
  failure(result: ShellResult): Error | undefined
  /** Starts the engine there, if that differs from starting any other script. */
  startEngine?(script: string): Channel
  /** Closes shared connections. Programs there keep running. */
  close(): Promise<void>
  /** Stops what `ready` started, unless something would be lost. */
  stop?(): Promise<void>
  /** Permanently deletes what `ready` created. Returns what was deleted. */
  remove?(): Promise<string[]>
}

export interface StartOptions {
  ask?: LaunchAsk
}

/** The result of `prepare`: how to start Trestle there. */
export interface Prepared {
  /** The command line that starts `trestle` there; arguments are appended. */
  trestle: string
  facts: PlaceFacts
  /** Whether the engine there keeps running when the connection ends (`wire --attach`). */
  attaches: boolean
}

export interface PrepareOptions {
  ask?: LaunchAsk
  /** Called with sentences about the progress, e.g. that Trestle is being copied. */
  progress?(text: string): void
  signal?: AbortSignal
  /** The user did not request this attempt, so nothing new is started, created or submitted. */
  isAutomatic?: boolean
}

/** How a kind of place is reached. Each has its own file; the client uses only this interface. */
export interface Launcher {
  /** Makes sure that this version of Trestle can be started there; copies it if it is missing. */
  prepare(options?: PrepareOptions): Promise<Prepared>
  /** Starts a process there that speaks the wire protocol over the channel. Rejects with a `CodedError`. */
  open(prepared: Prepared, options?: PrepareOptions): Promise<Channel>
  /** What is known about the machine, without copying anything. */
  status(options?: PrepareOptions): Promise<PlaceFacts>
  /** Runs a shell command there. */
  run(command: string, options?: PrepareOptions): Promise<ShellResult>
  /** Connects to a TCP port of loopback there; absent: this kind of place cannot. */
  connect?(port: number): Channel
  /** Copies a file of this machine to a new file there, readable only by its user. */
  upload(file: string, path: string, options?: PrepareOptions): Promise<void>
  /** Copies a file from there; `bytes`: its length; anything beyond is rejected. */
  download(path: string, file: string, options: PrepareOptions & { bytes: number }): Promise<void>
  /** Removes old versions that are not in use; returns how many. */
  tidy(): Promise<number>
  /** Closes the shared connection; ends the job of a scheduler, or stops a container that was started for the place. */
  stop(): Promise<void>
  /** Permanently deletes what was created for the place. Returns what was deleted. */
  remove?(): Promise<string[]>
  /**
   * Call when the place is removed from the list: stops what was started for it, and removes leftovers of finished
   * work.
   */
  leave?(signal: AbortSignal): Promise<void>
  /** Drops a shared connection that no longer responds. */
  reset?(): Promise<void>
  /** Why a channel ended before its greeting. */
  explain(channel: Channel, end: ChannelEnd): Error
}
