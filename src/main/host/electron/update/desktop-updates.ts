import { createPublicKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { App } from 'electron'
import { parse } from 'yaml'
import { z } from 'zod'
import { errorText } from '../../../../shared/error-text'
import type { SessionSummary } from '../../../../shared/model/session/session'
import type { UpdateActions } from '../../../api/implementer'
import type { Engine } from '../../../engine/engine-api'
import type { FeedSource, UpdateEngine } from './update-engine'
import { Updater, type UpdaterOptions } from './updater'

export interface DesktopUpdatesOptions {
  app: Pick<App, 'isPackaged' | 'quit' | 'relaunch'>
  engine: Pick<Engine, 'version' | 'home' | 'onChange'>
  platform: NodeJS.Platform
  env: NodeJS.ProcessEnv
  /** Electron's folder of resources. */
  resources: string
  log(message: string): void
}

/** The updates of the running desktop app. */
export interface DesktopUpdates extends UpdateActions {
  /** Installs an update that is ready. Call it at the end of a user's quit; never at a logout or shutdown. */
  installOnQuit(): Promise<void>
  close(): void
}

const FEED_FILE = 'app-update.yml'
/** Written by scripts/package.ts: the publisher's public keys, one PEM block after the other. */
const KEYS_FILE = 'update-keys.pem'

/** Starts updates if the package supports them; otherwise the view explains why not. */
export async function startUpdates({
  app,
  engine,
  platform,
  env,
  resources,
  log,
}: DesktopUpdatesOptions): Promise<DesktopUpdates> {
  const appImage = platform === 'linux' ? env['APPIMAGE'] : undefined
  const holder: { updater?: Updater } = {}
  const connect = async (): Promise<UpdateEngine | string> => {
    const reason = unavailableReason(app.isPackaged, platform, appImage)
    if (reason !== undefined) return reason
    const feed = readFeedFiles(resources)
    if (feed === undefined) return 'This build has no update feed. Install a newer package over this one.'
    const source: FeedSource = {
      ...feed,
      channel: () => holder.updater?.channel() ?? 'stable',
      newestSeen: () => holder.updater?.newestSeen(),
    }
    // Imported lazily: it needs Electron, and a start without updates should not load it.
    const [{ autoUpdater }, { createUpdateEngine }] = await Promise.all([
      import('electron-updater'),
      import('./update-engine'),
    ])
    return createUpdateEngine({ updater: autoUpdater, source, folder: join(engine.home, 'updates'), log, appImage })
  }
  const updater = new Updater({
    engine: await connect().catch((error: unknown) => `Updates could not be started: ${errorText(error)}`),
    installed: engine.version,
    recordFile: join(engine.home, 'updates.json'),
    ...watchWork(engine),
    quit: ({ relaunch }) => {
      if (relaunch) app.relaunch({ ...(appImage !== undefined && { execPath: appImage }) })
      app.quit()
    },
    log,
  })
  holder.updater = updater
  updater.start()
  return {
    view: () => updater.view(),
    act: async (action) => {
      const work = actOn(updater, action)
      // Downloads take minutes, so the view shows progress.
      if (action.kind === 'check' || action.kind === 'download' || action.kind === 'channel') void work
      else await work
      return updater.view()
    },
    installOnQuit: () => updater.installOnQuit(),
    close: () => updater.close(),
  }
}

/**
 * What a restart would interrupt: the working sessions of this engine, tracked from the first call of `onBusyChange`.
 */
export function watchWork(engine: Pick<Engine, 'onChange'>): Pick<UpdaterOptions, 'busy' | 'onBusyChange'> {
  const busy = new Set<string>()
  return {
    busy: () => busyText(busy.size),
    onBusyChange: (listener) =>
      engine.onChange((change) => {
        if (change.kind === 'session.removed') busy.delete(change.sessionId)
        else if (change.kind !== 'session') return
        else if (isWorking(change.summary)) busy.add(change.summary.sessionId)
        else busy.delete(change.summary.sessionId)
        listener()
      }),
  }
}

function actOn(updater: Updater, action: Parameters<UpdateActions['act']>[0]): Promise<void> {
  switch (action.kind) {
    case 'check':
      return updater.check()
    case 'download':
      return updater.download()
    case 'when-idle':
      return updater.whenIdle(action.isWanted)
    case 'roll-back':
      return updater.rollBack()
    case 'channel':
      return updater.setChannel(action.channel)
    default:
      updater.setAutomatic(action.isAutomatic)
      return Promise.resolve()
  }
}

function unavailableReason(
  isPackaged: boolean,
  platform: NodeJS.Platform,
  appImage: string | undefined,
): string | undefined {
  if (!isPackaged) return 'Trestle runs from its source code here. Update it with git.'
  if (platform === 'linux' && appImage === undefined)
    return 'Trestle was installed as a system package. Install a newer package to update it.'
  return undefined
}

/** The feed's URL and trusted keys; undefined for a build without a feed. */
function readFeedFiles(resources: string): { url: URL; keys: KeyObject[] } | undefined {
  let texts: [feed: string, keys: string]
  try {
    texts = [readFileSync(join(resources, FEED_FILE), 'utf8'), readFileSync(join(resources, KEYS_FILE), 'utf8')]
  } catch {
    return undefined
  }
  const { url } = z.object({ url: z.url() }).parse(parse(texts[0]))
  const keys = (texts[1].match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g) ?? []).map((pem) =>
    createPublicKey(pem),
  )
  if (keys.length === 0) throw new Error(`${KEYS_FILE} has no public key.`)
  return { url: new URL(url.endsWith('/') ? url : `${url}/`), keys }
}

function isWorking({ status, elsewhere }: SessionSummary): boolean {
  return (status === 'running' || status === 'waiting') && elsewhere === undefined
}

function busyText(turns: number): string | null {
  if (turns === 0) return null
  return turns === 1 ? '1 session is working' : `${turns} sessions are working`
}
