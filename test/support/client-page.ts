import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

const root = join(import.meta.dirname, '..', '..')
const PAGE = `
import { connectPage } from '${root}/src/renderer/client/page-connection'
import { subscribeApp } from '${root}/src/renderer/client/subscriptions'
import { subscribeSession } from '${root}/src/renderer/client/subscriptions'
const connection = connectPage()
window.page = { connection, seqs: [], commands: [], follow: (id) => subscribeSession(connection.client, id, 0, (push) => {
  if (push.type === 'events') for (const event of push.events) window.page.seqs.push(event.seq)
}) }
subscribeApp(connection.client, (push) => { if (push.type === 'command') window.page.commands.push(push.command) })
const info = await connection.client.app.info()
document.body.innerHTML = '<h1>Trestle ' + info.version + ' on ' + info.host + '</h1><p id="notices">' + info.notices.join(' ') + '</p>'
`

/**
 * Builds a small page with the real client code into `<folder>/renderer`, in the same way as the product's page. Its
 * `window.page` is for tests.
 */
export async function buildClientPage(folder: string): Promise<void> {
  await mkdir(join(folder, 'src'))
  await writeFile(
    join(folder, 'src', 'index.html'),
    '<!doctype html><title>Trestle</title><link ' +
      'rel="icon" href="data:,"><body></body><script type="module" src="./main.ts"></script>',
  )
  await writeFile(join(folder, 'src', 'main.ts'), PAGE)
  const { build } = await import('vite')
  await build({
    configFile: false,
    logLevel: 'error',
    root: join(folder, 'src'),
    build: { outDir: join(folder, 'renderer'), emptyOutDir: true, target: 'chrome140' },
  })
}

/**
 * Waits until an expression is true in the page. Not `waitForFunction`: it needs eval, which the page's policy forbids.
 */
export async function holds(page: Page, expression: string): Promise<void> {
  const end = Date.now() + 60_000
  for (;;) {
    // Evaluation fails while the document changes.
    if ((await page.evaluate(expression).catch(() => false)) === true) return
    if (Date.now() > end) throw new Error(`waited in vain for: ${expression}`)
  }
}
