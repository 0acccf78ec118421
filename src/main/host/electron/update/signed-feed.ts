import type { KeyObject } from 'node:crypto'
import { Provider, type AppUpdater, type ResolvedUpdateFileInfo, type UpdateInfo } from 'electron-updater'
import type { ProviderRuntimeOptions } from 'electron-updater/out/providers/Provider'
import type { UpdateChannel } from '../../../../shared/model/updates'
import { verifyFeed } from './verify-feed'

/** What the feed of a channel is called on the server, as electron-builder names it. */
const CHANNEL_FILES: Record<UpdateChannel, string> = { stable: 'latest', beta: 'beta' }

/** Where updates come from and whom to believe. */
export interface FeedSource {
  /** The folder of the feeds and packages, ending with `/`. */
  url: URL
  keys: readonly KeyObject[]
  channel(): UpdateChannel
  newestSeen(): string | undefined
}

/** The configuration that electron-updater takes for a provider of one's own. */
interface SignedFeedOptions {
  source: FeedSource
}

/** Reads a feed together with its signature (`<feed>.sig`), and accepts nothing that the publisher has not signed. */
export class SignedFeed extends Provider<UpdateInfo> {
  readonly #source: FeedSource
  readonly #updater: AppUpdater

  constructor(options: SignedFeedOptions, updater: AppUpdater, runtime: ProviderRuntimeOptions) {
    super(runtime)
    this.#source = options.source
    this.#updater = updater
  }

  // Updates are whole files: only those have a published checksum.
  override get isUseMultipleRangeRequest(): boolean {
    return false
  }

  async getLatestVersion(): Promise<UpdateInfo> {
    const { url, keys, channel, newestSeen } = this.#source
    const file = `${this.getCustomChannelName(CHANNEL_FILES[channel()])}.yml`
    const text = (await this.httpRequest(new URL(file, url))) ?? ''
    const signature = (await this.httpRequest(new URL(`${file}.sig`, url))) ?? ''
    return verifyFeed(text, signature, { keys, installed: this.#updater.currentVersion.version, newestSeen: newestSeen() })
  }

  resolveFiles({ files }: UpdateInfo): ResolvedUpdateFileInfo[] {
    return files.map((info) => ({ url: new URL(info.url, this.#source.url), info }))
  }
}
