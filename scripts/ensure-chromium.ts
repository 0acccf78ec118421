/** Ensures that the tests have a Chromium: installs it as root on Debian, elsewhere prints the command. */
import { spawnSync } from 'node:child_process'
import { findChromium, NO_CHROMIUM } from '../test/support/chromium.ts'

/** False if no Chromium is available and installing one failed. */
export async function ensureChromium(): Promise<boolean> {
  if ((await findChromium()) !== null) return true
  if (process.getuid?.() === 0 && spawnSync('apt-get', ['--version']).status === 0) {
    process.stderr.write('Installing Chromium for the tests ...\n')
    spawnSync('apt-get', ['update', '-q'], { stdio: 'ignore' })
    spawnSync('apt-get', ['install', '-y', '-q', 'chromium'], { stdio: ['ignore', 'ignore', 'inherit'] })
    if (spawnSync('chromium', ['--version']).status === 0) return true
  }
  process.stderr.write(`${NO_CHROMIUM}\n`)
  return false
}
