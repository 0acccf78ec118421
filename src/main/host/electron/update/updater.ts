import { readFileSync } from 'node:fs'
import { z } from 'zod'
import {
  type UpdateChannel,
  type UpdateProblem,
  type UpdateRelease,
  type UpdateState,
  type UpdatesView,
  UPDATE_CHANNELS,
} from '../../../../shared/configuration/app'
import type { UpdateEngine } from './update-engine'
import { toUpdateError } from './update-error'
import { compareVersions } from './version-order'
import { writePrivateFile } from '../../../engine/config/write-private-file'

/** The first check waits until the app has started; later ones are rare. */
const FIRST_CHECK_MS = 60_000
const CHECK_EVERY_MS = 6 * 60 * 60_000

export interface UpdaterOptions {
  /** A sentence instead, if this build or package type cannot update itself. */
  engine: UpdateEngine | string
  installed: string
  /** The record saved between starts. */
  recordFile: string
  /** What a restart would interrupt, as text such as “2 turns are running”; null when nothing is running. */
  busy(): string | null
  /** Calls back whenever that may have changed; returns a function that unsubscribes. */
  onBusyChange(listener: () => void): () => void
  /** Quits the app; `relaunch`: and reopens it. */
  quit(options: { relaunch: boolean }): void
  log(message: string): void
  now?: () => number
}

/**
 * Keeps the app up to date without ever interrupting work: releases are downloaded and verified in the background, and
 * installed when the user closes the app. On request, it restarts the app once nothing is running. There is no
 * deadline.
 */
export class Updater {
  readonly #options: UpdaterOptions
  readonly #listeners = new Set<() => void>()
  readonly #stops: (() => void)[] = []
  #record: UpdateRecord
  #state: UpdateState
  #previous: string | null = null
  #work: Promise<void> = Promise.resolve()
  /** The new version is installed and the app is about to quit: no further update work. */
  #isLeaving = false

  constructor(options: UpdaterOptions) {
    this.#options = options
    this.#record = readUpdateRecord(options.recordFile)
    this.#state =
      typeof options.engine === 'string' ? { kind: 'unavailable', reason: options.engine } : { kind: 'current' }
  }

  /** Starts periodic checks, and watches for a moment when nothing is running. */
  start(): void {
    const { engine, onBusyChange } = this.#options
    if (typeof engine === 'string') return
    void this.#findPrevious(engine)
    const check = (): void => void this.check()
    const first = setTimeout(check, FIRST_CHECK_MS).unref()
    const later = setInterval(check, CHECK_EVERY_MS).unref()
    const stopWatching = onBusyChange(() => {
      if (this.#state.kind !== 'ready') return
      this.#notify()
      void this.#installWhenIdle()
    })
    this.#stops.push(
      () => clearTimeout(first),
      () => clearInterval(later),
      stopWatching,
    )
  }

  async #findPrevious(engine: UpdateEngine): Promise<void> {
    // If the folder of versions is unreadable, there is no version to restore.
    this.#previous = (await engine.previous().catch(() => undefined)) ?? null
    this.#notify()
  }

  close(): void {
    for (const stop of this.#stops.splice(0)) stop()
  }

  view(): UpdatesView {
    const { installed, busy } = this.#options
    const { channel, automatic } = this.#record
    const state = this.#state.kind === 'ready' ? { ...this.#state, waitsFor: busy() } : this.#state
    return { installed, state, channel, automatic, previous: this.#previous }
  }

  /** Calls back whenever the view changes; returns a function that unsubscribes. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  newestSeen(): string | undefined {
    return this.#record.newestSeen[this.#record.channel]
  }

  channel(): UpdateChannel {
    return this.#record.channel
  }

  /** Checks the feed, and downloads a new release if enabled. Resolves when done; a failure is part of the view. */
  check(): Promise<void> {
    return this.#enqueue(async (engine) => {
      if (this.#state.kind === 'ready') return
      this.#set({ kind: 'checking' })
      const release = await engine.check()
      if (release === undefined) return this.#settle()
      this.#saveRecord({
        newestSeen: { ...this.#record.newestSeen, [this.#record.channel]: newer(release.version, this.newestSeen()) },
      })
      const isSkipped = release.version === this.#record.skipped
      if (!this.#record.automatic || isSkipped) return this.#set({ kind: 'available', release })
      await this.#download(engine, release)
    })
  }

  /** Downloads the found release if it was not downloaded automatically. */
  download(): Promise<void> {
    return this.#enqueue(async (engine) => {
      if (this.#state.kind !== 'available') return
      this.#saveRecord({ skipped: undefined })
      await this.#download(engine, this.#state.release)
    })
  }

  /** Whether to restart into the new version as soon as nothing is running. */
  async whenIdle(isWanted: boolean): Promise<void> {
    if (this.#state.kind !== 'ready') return
    this.#set({ ...this.#state, whenIdle: isWanted })
    await this.#installWhenIdle()
  }

  /** Call it when the user quits the app, never at a shutdown: then the update waits for the next quit. */
  installOnQuit(): Promise<void> {
    // Not queued behind a check or download: quitting waits for neither.
    if (this.#state.kind !== 'ready') return Promise.resolve()
    return this.#enqueue(async (engine) => {
      if (this.#state.kind !== 'ready') return
      await engine.install({ restart: false, isWanted: () => true })
      this.#isLeaving = true
      this.#options.log(`updates: ${this.#state.release.version} was installed`)
    })
  }

  /** Restores the previous version and restarts, unless something is running. */
  rollBack(): Promise<void> {
    return this.#enqueue(async (engine) => {
      const waitsFor = this.#options.busy()
      if (waitsFor !== null) {
        const advice = 'Wait until it has finished, or stop it, and try again.'
        return this.#settle({ message: `The previous version was not restored: ${waitsFor}.`, advice })
      }
      await engine.rollBack()
      this.#saveRecord({ skipped: this.#options.installed })
      this.#isLeaving = true
      this.#options.quit({ relaunch: true })
    })
  }

  setChannel(channel: UpdateChannel): Promise<void> {
    if (channel === this.#record.channel) return Promise.resolve()
    this.#saveRecord({ channel })
    // An offer of the other channel no longer applies.
    if (this.#state.kind === 'available' || this.#state.kind === 'ready') this.#settle()
    return this.check()
  }

  setAutomatic(automatic: boolean): void {
    this.#saveRecord({ automatic })
    this.#notify()
  }

  async #download(engine: UpdateEngine, release: UpdateRelease): Promise<void> {
    this.#set({ kind: 'downloading', release, percent: 0 })
    await engine.download((percent) => this.#set({ kind: 'downloading', release, percent }))
    this.#set({ kind: 'ready', release, whenIdle: false, waitsFor: null })
  }

  #installWhenIdle(): Promise<void> {
    return this.#enqueue(async (engine) => {
      const isWanted = (): boolean =>
        this.#state.kind === 'ready' && this.#state.whenIdle && this.#options.busy() === null
      if (!isWanted() || !(await engine.install({ restart: true, isWanted }))) return
      this.#isLeaving = true
      this.#options.quit({ relaunch: !engine.relaunches })
    })
  }

  /** Runs operations one by one; a failure keeps the installed version and is shown. */
  #enqueue(work: (engine: UpdateEngine) => Promise<void>): Promise<void> {
    const { engine } = this.#options
    if (typeof engine === 'string') return Promise.resolve()
    this.#work = this.#work
      .then(() => (this.#isLeaving ? undefined : work(engine)))
      .catch((error: unknown) => {
        const failure = toUpdateError(error)
        this.#options.log(`updates: ${failure.reason}: ${failure.message}`)
        this.#settle(failure.problem)
      })
    return this.#work
  }

  #settle(problem?: UpdateProblem): void {
    this.#set({ kind: 'current', checkedAt: (this.#options.now ?? Date.now)(), ...(problem && { problem }) })
  }

  #set(state: UpdateState): void {
    this.#state = state
    this.#notify()
  }

  #saveRecord(change: Partial<UpdateRecord>): void {
    this.#record = { ...this.#record, ...change }
    try {
      writeUpdateRecord(this.#options.recordFile, this.#record)
    } catch (error) {
      // The record applies to this run; a full disk must not abort the check.
      this.#options.log(`updates: the record could not be written: ${String(error)}`)
    }
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }
}

function newer(version: string, than: string | undefined): string {
  return than !== undefined && compareVersions(than, version) > 0 ? than : version
}

const shape = z.object({
  channel: z.enum(UPDATE_CHANNELS).catch('stable'),
  automatic: z.boolean().catch(true),
  /** The newest version of any verified feed, by channel: an older one is a replay. */
  newestSeen: z.partialRecord(z.enum(UPDATE_CHANNELS), z.string()).catch({}),
  /** The version the user downgraded from: it is not installed again automatically. */
  skipped: z.string().optional().catch(undefined),
})

/** Persisted update state. */
type UpdateRecord = z.infer<typeof shape>

/** The record in a file; missing or unreadable fields get their defaults. */
function readUpdateRecord(file: string): UpdateRecord {
  try {
    return shape.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return shape.parse({})
  }
}

function writeUpdateRecord(file: string, record: UpdateRecord): void {
  writePrivateFile(file, `${JSON.stringify(record, null, 2)}\n`)
}
