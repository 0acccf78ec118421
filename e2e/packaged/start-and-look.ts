import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { appEnvironment } from '../../test/support/app-environment'
import { createScratch } from '../../test/support/scratch'

/** Timeout for an app to open its debugging port, in ms. */
const LIMIT_MS = 120_000

/**
 * Starts a program with its debugging port open, waits until its page shows Trestle, takes a screenshot, and quits it.
 */
export async function startAndLook(program: string, results: string): Promise<void> {
  const scratch = createScratch()
  const child = spawn(program, ['--remote-debugging-port=0'], {
    env: appEnvironment(process.env, { TRESTLE_HOME: scratch.home }),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  try {
    const address = await new Promise<string>((resolve, reject) => {
      let output = ''
      const timer = setTimeout(
        () => reject(new Error(`No debugging port within ${LIMIT_MS} ms. Output: ${output}`)),
        LIMIT_MS,
      )
      child.stderr.on('data', (chunk: Buffer) => {
        output += chunk.toString('utf8')
        const found = /DevTools listening on (ws:\S+)/.exec(output)?.[1]
        if (found === undefined) return
        clearTimeout(timer)
        resolve(found)
      })
      child.once('error', reject)
      child.once('exit', (code, signal) =>
        reject(new Error(`The app ended with ${signal ?? code} before its window opened. Output: ${output}`)),
      )
    })
    const browser = await chromium.connectOverCDP(address)
    const [context] = browser.contexts()
    const page = context?.pages()[0] ?? (await context?.waitForEvent('page'))
    await page?.getByRole('button', { name: 'Settings' }).waitFor({ timeout: LIMIT_MS })
    await page?.screenshot({ path: join(results, 'started.png') })
    await browser.close()
  } finally {
    if (child.exitCode === null && child.signalCode === null) child.kill()
    await ended
    scratch.remove()
  }
}
