import { renameSync } from 'node:fs'
import { chmod, copyFile, mkdir, readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { KeyObject } from 'node:crypto'
import { type AppUpdater, type Logger, Provider, type ResolvedUpdateFileInfo, type UpdateInfo } from 'electron-updater'
import type { ProviderRuntimeOptions } from 'electron-updater/out/providers/Provider'
import type { UpdateRelease, UpdateChannel } from '../../../../shared/configuration/app'
import { toUpdateError, UpdateError } from './update-error'
import { compareVersions } from './version-order'
import { verifyFeed } from './verify-feed'

/**
 * Finds, downloads and installs releases on one system. Every method throws `UpdateError` and leaves the installed
 * version unchanged.
 */
export interface UpdateEngine {
  /** The release of the feed, if it is newer than the installed one. */
  check(): Promise<UpdateRelease | undefined>
  /** Downloads and verifies the release that `check` found. */
  download(onProgress: (percent: number) => void): Promise<void>
  /**
   * Installs the downloaded release, if `isWanted` still returns true at the last moment. True: the app must quit now.
   * With `restart` an installer opens the app again; `relaunches` tells whether there is one.
   */
  install(options: { restart: boolean; isWanted(): boolean }): Promise<boolean>
  /** Whether the process that `install` starts opens the app again; otherwise the host does. */
  readonly relaunches: boolean
  /** The version that can be restored. */
  previous(): Promise<string | undefined>
  /** Restores the previous version. As after `install`, the app has to quit. */
  rollBack(): Promise<void>
}

export interface UpdateEngineOptions {
  /** electron-updater's updater for this system. */
  updater: AppUpdater
  source: FeedSource
  /** Where the previous version is kept. */
  folder: string
  log(message: string): void
  /** The file of the running AppImage; other packages cannot keep a previous version. */
  appImage: string | undefined
}

/** Updates through electron-updater, from a signed feed. */
export function createUpdateEngine({ updater, source, folder, log, appImage }: UpdateEngineOptions): UpdateEngine {
  updater.autoDownload = false
  // Installation is decided here, never by a quit that may be a shutdown. Only macOS installs automatically at every
  // quit once it has an update.
  updater.autoInstallOnAppQuit = !('install' in updater)
  updater.allowDowngrade = false
  updater.disableDifferentialDownload = true
  updater.logger = loggerOf(log)
  updater.setFeedURL({ provider: 'custom', updateProvider: SignedFeed as never, source } as never)
  // electron-updater reports each failure twice; without a listener the second one would end the process.
  updater.on('error', (error) => log(`updates: ${error.message}`))
  const installed = updater.currentVersion.version
  let downloaded: string | undefined

  return {
    async check() {
      try {
        const result = await updater.checkForUpdates()
        if (result?.isUpdateAvailable !== true) return undefined
        const { version, releaseNotes, releaseDate } = result.updateInfo
        return { version, notes: typeof releaseNotes === 'string' ? releaseNotes : '', date: releaseDate }
      } catch (error) {
        throw toUpdateError(error)
      }
    },
    async download(onProgress) {
      const report = ({ percent }: { percent: number }): void => onProgress(Math.floor(percent))
      updater.on('download-progress', report)
      try {
        const [file] = await updater.downloadUpdate()
        downloaded = file
      } catch (error) {
        throw toUpdateError(error)
      } finally {
        updater.off('download-progress', report)
      }
    },
    relaunches: appImage === undefined,
    async install({ restart, isWanted }) {
      try {
        if (appImage !== undefined) {
          if (downloaded === undefined) throw new Error('nothing was downloaded')
          await keepPrevious(appImage, folder, installed)
          await copyWhole(downloaded, appImage, isWanted)
          return isWanted()
        }
        if (!isWanted()) return false
        startInstaller(updater, restart)
        return true
      } catch (error) {
        throw toUpdateError(error)
      }
    },
    async previous() {
      return appImage === undefined ? undefined : newestOlder(await keptVersions(folder), installed)
    },
    async rollBack() {
      const version = appImage === undefined ? undefined : newestOlder(await keptVersions(folder), installed)
      if (appImage === undefined || version === undefined)
        throw new UpdateError('install', 'No previous version is kept on this machine.')
      try {
        await putBack(folder, version, appImage)
      } catch (error) {
        throw toUpdateError(error)
      }
    },
  }
}

/** Windows: an installer that waits for the app to end. macOS: the system's own, which acts when the app quits. */
function startInstaller(updater: AppUpdater, restart: boolean): void {
  if (!hasInstall(updater)) {
    if (restart) updater.quitAndInstall()
    return
  }
  let failure: Error | undefined
  const note = (error: Error): void => {
    failure = error
  }
  updater.on('error', note)
  const isStarted = updater.install(true, restart)
  updater.off('error', note)
  if (!isStarted) throw failure ?? new Error('the installer did not start')
}

function hasInstall(
  updater: AppUpdater,
): updater is AppUpdater & { install(isSilent: boolean, isForceRunAfter: boolean): boolean } {
  return 'install' in updater
}

const KEPT = /^(.+)\.AppImage$/

async function keptVersions(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.flatMap((name) => KEPT.exec(name)?.[1] ?? [])
}

function newestOlder(versions: readonly string[], than: string): string | undefined {
  return versions
    .filter((version) => compareVersions(version, than) < 0)
    .toSorted(compareVersions)
    .at(-1)
}

/** Saves a copy of the running version only, atomically. */
async function keepPrevious(appImage: string, folder: string, version: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const kept = join(folder, `${version}.AppImage`)
  await copyWhole(appImage, kept)
  for (const other of await readdir(folder))
    if (other !== basename(kept)) await rm(join(folder, other), { force: true })
}

async function putBack(folder: string, version: string, appImage: string): Promise<void> {
  await copyWhole(join(folder, `${version}.AppImage`), appImage)
}

/**
 * Replaces `to` atomically, unless `isWanted` returns false by then. The running AppImage keeps its file open until it
 * exits.
 */
async function copyWhole(from: string, to: string, isWanted = (): boolean => true): Promise<void> {
  const part = `${to}.part`
  try {
    await copyFile(from, part)
    await chmod(part, 0o755)
    if (isWanted()) renameSync(part, to)
  } finally {
    await rm(part, { force: true })
  }
}

function loggerOf(log: (message: string) => void): Logger {
  return {
    info: () => {},
    warn: (message) => log(`updates: ${String(message)}`),
    error: (message) => log(`updates: ${String(message)}`),
  }
}

/** The feed's file name for a channel, as electron-builder names it. */
const CHANNEL_FILES: Record<UpdateChannel, string> = { stable: 'latest', beta: 'beta' }

/** The update source and its trusted keys. */
export interface FeedSource {
  /** The folder of the feeds and packages, ending with `/`. */
  url: URL
  keys: readonly KeyObject[]
  channel(): UpdateChannel
  newestSeen(): string | undefined
}

/** electron-updater's configuration for a custom provider. */
interface SignedFeedOptions {
  source: FeedSource
}

/** Reads a feed together with its signature (`<feed>.sig`), and rejects anything the publisher has not signed. */
class SignedFeed extends Provider<UpdateInfo> {
  readonly #source: FeedSource
  readonly #updater: AppUpdater

  constructor(options: SignedFeedOptions, updater: AppUpdater, runtime: ProviderRuntimeOptions) {
    super(runtime)
    this.#source = options.source
    this.#updater = updater
  }

  // Updates are complete files: only those have a published checksum.
  override get isUseMultipleRangeRequest(): boolean {
    return false
  }

  async getLatestVersion(): Promise<UpdateInfo> {
    const { url, keys, channel, newestSeen } = this.#source
    const file = `${this.getCustomChannelName(CHANNEL_FILES[channel()])}.yml`
    const text = (await this.httpRequest(new URL(file, url))) ?? ''
    const signature = (await this.httpRequest(new URL(`${file}.sig`, url))) ?? ''
    return verifyFeed(text, signature, {
      keys,
      installed: this.#updater.currentVersion.version,
      newestSeen: newestSeen(),
    })
  }

  resolveFiles({ files }: UpdateInfo): ResolvedUpdateFileInfo[] {
    return files.map((info) => ({ url: new URL(info.url, this.#source.url), info }))
  }
}
