import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, request as httpRequest, type RequestOptions } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { AppImageUpdater } from 'electron-updater'
import { ElectronHttpExecutor } from 'electron-updater/out/electronHttpExecutor.js'
import { createUpdateEngine, type UpdateEngine } from '../../src/main/host/electron/update/update-engine'
import { Updater, type UpdaterOptions } from '../../src/main/host/electron/update/updater'

/** electron-updater's downloads with Node's own HTTP, for tests without Electron. */
class NodeHttpExecutor extends ElectronHttpExecutor {
  constructor() {
    super(() => {})
  }

  override createRequest(options: RequestOptions, callback: (response: never) => void): never {
    return httpRequest(options, callback as () => void) as never
  }

  override addRedirectHandlers(): void {}
}

/** A publisher with a feed on loopback. Every field can be changed to publish something invalid. */
export class UpdateServer {
  readonly publicKey: KeyObject
  url = new URL('http://127.0.0.1/')
  /** The package of the published version. */
  file = Buffer.alloc(0)
  feed = ''
  signature = ''
  /** Sends only this many bytes of the package and then breaks the connection. */
  breakAfter: number | undefined
  /** Delays downloads of the package. */
  holdPackage = false
  requests: string[] = []
  readonly #privateKey: KeyObject
  readonly #server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', this.url).pathname
    this.requests.push(path)
    if (path.endsWith('.yml')) return response.end(this.feed)
    if (path.endsWith('.sig')) return response.end(this.signature)
    if (!path.endsWith('.AppImage')) return response.writeHead(404).end()
    response.writeHead(200, { 'content-length': this.file.length })
    if (this.holdPackage) return response.write(this.file.subarray(0, 1000))
    if (this.breakAfter === undefined) return response.end(this.file)
    return response.write(this.file.subarray(0, this.breakAfter), () => response.destroy())
  })

  private constructor(publicKey: KeyObject, privateKey: KeyObject) {
    this.publicKey = publicKey
    this.#privateKey = privateKey
  }

  static async start(): Promise<UpdateServer> {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const server = new UpdateServer(publicKey, privateKey)
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve))
    server.url = new URL(`http://127.0.0.1:${(server.#server.address() as AddressInfo).port}/`)
    return server
  }

  /** Publishes a version as electron-builder does; `notes`: in Markdown. */
  publish(version: string, { file = Buffer.from(standIn(version)), notes = `What is new in ${version}` } = {}): void {
    this.file = file
    const sha512 = createHash('sha512').update(file).digest('base64')
    const name = `Trestle-${version}.AppImage`
    this.sign(
      `version: ${version}\nfiles:\n  - url: ${name}\n    sha512: ${sha512}\n    size: ${file.length}\n` +
        `path: ${name}\nsha512: ${sha512}\nreleaseDate: '2026-11-01T00:00:00.000Z'\nreleaseNotes: ${notes}\n`,
    )
  }

  /** Signs this text and publishes it as the feed. */
  sign(feed: string): void {
    this.feed = feed
    this.signature = sign(null, Buffer.from(feed), this.#privateKey).toString('base64')
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

/** A program instead of an AppImage: prints its version, then waits until its input ends and prints it again. */
export function standIn(version: string): string {
  return `#!/bin/sh\necho ${version}\nread line\necho ${version} ended\nexit 0\n`
}

/** An app installed in `folder`, with the real updater for AppImages. */
export class UpdateLab {
  readonly appImage: string
  readonly quits: { relaunch: boolean }[] = []
  readonly log: string[] = []
  /** What is running, as a host would report it. */
  work: string | null = null
  readonly #folder: string
  readonly #keys: readonly KeyObject[]
  readonly #url: URL
  #busyListener: () => void = () => {}

  constructor(folder: string, server: { url: URL; publicKey: KeyObject }) {
    this.#folder = folder
    this.#keys = [server.publicKey]
    this.#url = server.url
    this.appImage = join(folder, 'Trestle.AppImage')
    mkdirSync(join(folder, 'cache'), { recursive: true })
    writeFileSync(join(folder, 'app-update.yml'), 'updaterCacheDirName: trestle-updater\n')
  }

  /** Installs a version, as if manually. */
  install(version: string): void {
    writeFileSync(this.appImage, standIn(version))
    chmodSync(this.appImage, 0o755)
  }

  /** Starts the app's updater as that version does. `work`: what is running; default: the value of `setWork`. */
  start(version: string, work?: Pick<UpdaterOptions, 'busy' | 'onBusyChange'>): Updater {
    const holder: { updater?: Updater } = {}
    const updater = new Updater({
      engine: this.#engine(version, {
        channel: () => holder.updater?.channel() ?? 'stable',
        newestSeen: () => holder.updater?.newestSeen(),
      }),
      installed: version,
      recordFile: join(this.#folder, 'updates.json'),
      ...(work ?? {
        busy: () => this.work,
        onBusyChange: (listener) => {
          this.#busyListener = listener
          return () => {
            this.#busyListener = () => {}
          }
        },
      }),
      quit: (options) => this.quits.push(options),
      log: (message) => this.log.push(message),
    })
    holder.updater = updater
    updater.start()
    return updater
  }

  /** Sets the running work; null: nothing is running. */
  setWork(work: string | null): void {
    this.work = work
    this.#busyListener()
  }

  #engine(version: string, source: { channel(): 'stable' | 'beta'; newestSeen(): string | undefined }): UpdateEngine {
    const app = {
      version,
      name: 'trestle',
      isPackaged: true,
      appUpdateConfigPath: join(this.#folder, 'app-update.yml'),
      userDataPath: this.#folder,
      baseCachePath: join(this.#folder, 'cache'),
      whenReady: async () => {},
      relaunch: () => {},
      quit: () => {},
      onQuit: () => {},
    }
    process.env['APPIMAGE'] = this.appImage
    const updater = new AppImageUpdater(null, app)
    Object.assign(updater, { httpExecutor: new NodeHttpExecutor() })
    return createUpdateEngine({
      updater,
      source: { url: this.#url, keys: this.#keys, ...source },
      folder: join(this.#folder, 'previous'),
      log: (message) => this.log.push(message),
      appImage: this.appImage,
    })
  }
}
