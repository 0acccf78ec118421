import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'
import type { DesktopOptions } from '../../src/main/host/electron/platform/electron-module'
import { startDesktop } from '../../src/main/host/electron/start-desktop'
import { buildClientPage } from './client-page'
import { findChromium, launchChromium, NO_CHROMIUM } from './chromium'
import { type DoubleOptions, ElectronDouble } from './electron-double'
import type { DoubleWindow } from './electron-double-window'
import { type MemoryEngine, memoryEngine } from './memory-engine'
import { required } from './required'
import { until } from './until'
import { runFolder } from './run-folder'

/** Null if there is no browser: the tests of the desktop host are then skipped. */
export const chromium = await findChromium()
if (chromium === null) process.stderr.write(`The tests of the desktop host are skipped: ${NO_CHROMIUM}\n`)

const PRELOAD = join(import.meta.dirname, '..', '..', 'out', 'preload', 'index.cjs')
let smallPage: Promise<string> | undefined
let browser: Browser
const cleanups: (() => unknown)[] = []

beforeAll(async () => {
  if (chromium === null) return
  if (!existsSync(PRELOAD)) throw new Error('The preload script is not built: npm run build')
  browser = await launchChromium(chromium)
}, 60_000)

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

afterAll(async () => {
  await browser?.close()
  if (smallPage !== undefined) await rm(dirname(await smallPage), { recursive: true })
})

/** The folder of a small page with the real client code, for tests that do not need the interface. */
async function buildSmallPage(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'trestle-desktop-'))
  await buildClientPage(folder)
  return join(folder, 'renderer')
}

/** How many listeners the host itself has on the engine; each page adds one. */
export const HOST_LISTENERS = 3

export interface StartedDesktop {
  electron: ElectronDouble
  engine: MemoryEngine
  home: string
  /** The desktop log so far. */
  log(): Promise<string>
  window(): DoubleWindow
}

/**
 * Starts the desktop host with a new test double, a new home and an in-memory engine; all are closed after the test.
 * `state` is the content of window.json.
 */
export async function startOnDouble(
  options: Partial<DesktopOptions> & {
    double?: Partial<DoubleOptions>
    state?: unknown
    /** Content of desktop.json. */
    file?: unknown
    /** Wait for the host to start before the test continues; default true. */
    wait?: boolean
  } = {},
): Promise<StartedDesktop> {
  const home = runFolder('desktop-home-')
  if (options.state !== undefined) await writeFile(join(home, 'window.json'), JSON.stringify(options.state))
  if (options.file !== undefined) await writeFile(join(home, 'desktop.json'), JSON.stringify(options.file))
  const electron = new ElectronDouble({ browser, ...options.double })
  const engine = memoryEngine({ home, version: '9.9.9' })
  const listeners = {
    uncaughtException: process.listeners('uncaughtException'),
    unhandledRejection: process.listeners('unhandledRejection'),
  }
  cleanups.push(async () => {
    await electron.close()
    for (const name of ['uncaughtException', 'unhandledRejection'] as const) {
      for (const listener of process.listeners(name as 'uncaughtException'))
        if (!(listeners[name] as unknown[]).includes(listener)) process.off(name, listener)
    }
  })
  const started = startDesktop({
    electron: electron.module,
    resolveHome: () => home,
    rendererDir: options.rendererDir ?? (await (smallPage ??= buildSmallPage())),
    preload: PRELOAD,
    openEngine: async () => engine,
    platform: 'linux',
    argv: ['/electron', '/app/index.js'],
    configFolder: join(home, 'config'),
    ...options,
  })
  if (options.wait !== false) await started
  const log = async () =>
    existsSync(join(home, 'logs', 'trestle.log')) ? readFile(join(home, 'logs', 'trestle.log'), 'utf8') : ''
  return { electron, engine, home, log, window: () => required(electron.windows[0], 'a window') }
}

/** The window's page, once it shows the engine's response. */
export async function shown({ electron }: { electron: ElectronDouble }): Promise<Page> {
  await until(() => electron.windows[0]?.isShown === true && electron.windows[0].webContents.hasPage, 'the window')
  const page = required(electron.windows[0], 'a window').webContents.page
  await page.waitForSelector('h1')
  return page
}
