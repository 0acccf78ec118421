import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import type { Browser } from 'playwright-core'

/** Message when no browser is found, with what to do. */
export const NO_CHROMIUM = 'no Chromium found: run `npx playwright install chromium`, or set TRESTLE_CHROMIUM to one'

const SYSTEM_NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const SYSTEM_PATHS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  join(process.env['PROGRAMFILES'] ?? 'C:\\Program Files', 'Google\\Chrome\\Application\\chrome.exe'),
]

let found: Promise<string | null> | undefined

/**
 * Path of a Chromium for tests: TRESTLE_CHROMIUM, Playwright's own, the system's, or the Linux binary of
 * @sparticuz/chromium (unpacked to the temporary folder). Null when no browser is found; tests are then skipped with
 * `NO_CHROMIUM`.
 */
export function findChromium(): Promise<string | null> {
  found ??= search()
  return found
}

async function search(): Promise<string | null> {
  const named = process.env['TRESTLE_CHROMIUM']
  if (named !== undefined && named !== '') {
    if (!existsSync(named)) throw new Error(`TRESTLE_CHROMIUM names ${named}, which is not there`)
    return named
  }
  const own = chromium.executablePath()
  if (own !== '' && existsSync(own)) return own
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const candidates = [...SYSTEM_NAMES.flatMap((name) => folders.map((folder) => join(folder, name))), ...SYSTEM_PATHS]
  const system = candidates.find((path) => existsSync(path))
  if (system !== undefined) return system
  if (process.platform !== 'linux' || process.arch !== 'x64') return null
  try {
    const { default: packed } = await import('@sparticuz/chromium')
    const path = await packed.executablePath()
    return (await canRun(path)) ? path : null
  } catch {
    return null
  }
}

/**
 * Whether the program starts: it needs libraries that not every system has. Waits while another process is unpacking
 * it.
 */
async function canRun(path: string): Promise<boolean> {
  for (const deadline = Date.now() + 60_000; ; await pause(200)) {
    const { status, error } = spawnSync(path, ['--version'])
    const isBeingWritten = error !== undefined && 'code' in error && error.code === 'ETXTBSY'
    if (!isBeingWritten || Date.now() > deadline) return status === 0
  }
}

/**
 * Flags that keep a test browser quiet: no sandbox only if Chromium refuses to run as root with one; no background
 * network access.
 */
export const CHROMIUM_ARGS: readonly string[] = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
]

/** Starts the browser that `findChromium` found. The caller closes it. */
export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, headless: true, args: [...CHROMIUM_ARGS] })
}
