import type { Readable, Writable } from 'node:stream'
import type { PlaceFacts } from '../../../../shared/model/place/place'

/** A running program on a place: two byte streams, what it said on stderr, and its end. */
export interface Channel {
  input: Writable
  output: Readable
  /** The newest part of stderr. */
  errors(): string
  /** Resolves once the program, or the connection to it, has ended. */
  ended: Promise<ChannelEnd>
  /** Ends the local side at once. */
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

/** How a launcher may ask the user. */
export interface LaunchAsk {
  /** `never`: fails instead. `terminal`: the program asks in this terminal. `user`: through `answer`. */
  way: 'never' | 'terminal' | 'user'
  /** Passes a question of ssh to the user; null: cancelled. */
  answer?(question: { text: string; kind: 'secret' | 'confirm' | 'text' }): Promise<string | null>
}

/** A POSIX shell on a place. Every launcher is one, with its own way to get there. */
export interface PlaceShell {
  /** Makes sure that what it runs in is there, and starts it unless the attempt is automatic. Before anything else. */
  ready?(options: PrepareOptions): Promise<void>
  /** Starts a script; the caller reads and ends it. */
  start(script: string, options?: StartOptions): Channel
  /** Connects to a TCP port of loopback there; absent: it is done by a program there. */
  connect?(port: number): Channel
  /** What a failure to get there means, in plain words; `result` of a script that never ran. */
  failure(result: ShellResult): Error | undefined
  /** Starts the engine there where that differs from any other script. */
  startEngine?(script: string): Channel
  /** Ends shared connections. What runs there continues. */
  close(): Promise<void>
  /** Stops what `ready` has started, where nothing is lost with that. */
  stop?(): Promise<void>
  /** Deletes what `ready` has made, permanently. Returns what that was. */
  remove?(): Promise<string[]>
}

export interface StartOptions {
  ask?: LaunchAsk
}

/** What was prepared, and how to start it. */
export interface Prepared {
  /** The command line that starts `trestle` there; arguments follow. */
  trestle: string
  facts: PlaceFacts
  /** Whether the engine there stays when the connection ends (`wire --attach`). */
  attaches: boolean
}

export interface PrepareOptions {
  ask?: LaunchAsk
  /** Sentences about what happens, e.g. that Trestle is being copied. */
  progress?(text: string): void
  signal?: AbortSignal
  /** The user has not asked for this attempt: nothing is started, made or submitted that is not there. */
  isAutomatic?: boolean
}

/** How a kind of place is reached. One file each; the client knows no more than this. */
export interface Launcher {
  /** Makes sure that a Trestle of this version can be started there: copies it unless it is there already. */
  prepare(options?: PrepareOptions): Promise<Prepared>
  /** Starts a process there that speaks the wire protocol over the channel. Rejects with a `CodedError`. */
  open(prepared: Prepared, options?: PrepareOptions): Promise<Channel>
  /** What is known of the machine, without copying anything. */
  status(options?: PrepareOptions): Promise<PlaceFacts>
  /** Runs a shell command there. */
  run(command: string, options?: PrepareOptions): Promise<ShellResult>
  /** Connects to a TCP port of loopback there; absent: this kind of place cannot. */
  connect?(port: number): Channel
  /** Copies a file of this machine to a new file there, only for its user. */
  upload(file: string, path: string, options?: PrepareOptions): Promise<void>
  /** Copies a file from there; `bytes`: how long it is, and no more is taken. */
  download(path: string, file: string, options: PrepareOptions & { bytes: number }): Promise<void>
  /** Removes old versions that are not in use; returns how many. */
  tidy(): Promise<number>
  /** Ends the shared connection, and for a scheduler its job; stops a container that was started for the place. */
  stop(): Promise<void>
  /** Deletes what was made for the place, permanently. Returns what that was. */
  remove?(): Promise<string[]>
  /** The place is taken from the list: stops what was started for it, and removes what finished work has left. */
  leave?(signal: AbortSignal): Promise<void>
  /** Drops a shared connection that no longer answers. */
  reset?(): Promise<void>
  /** Why a channel ended before it greeted, in plain words. */
  explain(channel: Channel, end: ChannelEnd): Error
}
