/**
 * Installs the package in dist/ and runs stories on it: `node e2e/packaged/run.ts [--start-only] [--list]`. `--start-
 * only` is for a package with release fuses, which Playwright cannot drive: it is started and checked over its
 * debugging port. Logs go to packaged-results/.
 */
import '../../test/support/ts-hooks.mjs'
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const RESULTS = join(import.meta.dirname, '..', '..', 'packaged-results')

// Imported after the hooks above: these modules import without file extensions.
const [{ installApp }, { PackagedApp }, { STORIES }, { startAndLook }] = await Promise.all([
  import('./install-app.ts'),
  import('./packaged-app.ts'),
  import('./packaged-stories.ts'),
  import('./start-and-look.ts'),
])

async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--list')) {
    process.stdout.write(STORIES.map(({ name }) => `${name}\n`).join(''))
    return 0
  }
  mkdirSync(RESULTS, { recursive: true })
  const installed = installApp()
  let failures = 0
  const attempt = async (name: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
      process.stdout.write(`ok   ${name}\n`)
    } catch (error) {
      failures += 1
      process.stdout.write(`FAIL ${name}\n${error instanceof Error ? error.stack : String(error)}\n`)
    }
  }
  if (args.includes('--start-only')) {
    await attempt('the released app starts and shows its window', () => startAndLook(installed.program, RESULTS))
  } else {
    for (const [index, story] of STORIES.entries()) {
      await attempt(story.name, async () => {
        const app = await PackagedApp.start(installed, story.script)
        try {
          await story.run(app)
        } catch (error) {
          await app.page.screenshot({ path: join(RESULTS, `${index}.png`) }).catch(() => {})
          throw error
        } finally {
          const logs = join(app.scratch.home, 'logs')
          if (existsSync(logs)) cpSync(logs, join(RESULTS, `${index}-logs`), { recursive: true })
          await app.remove()
        }
      })
    }
  }
  installed.uninstall()
  await attempt('uninstalling removes the program', async () => {
    if (existsSync(installed.program)) throw new Error(`${installed.program} is still there.`)
  })
  writeFileSync(join(RESULTS, 'result.txt'), `${failures} failed\n`)
  return failures === 0 ? 0 : 1
}

process.exitCode = await main(process.argv.slice(2))
