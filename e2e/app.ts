import type { ChildProcess } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { _electron, test as base, type Browser, type Page } from '@playwright/test'
import { appEnvironment, electronProgram } from '../test/support/app-environment'
import { findChromium, launchChromium, NO_CHROMIUM } from '../test/support/chromium'
import type { ModelScript } from '../test/support/model-script'
import { startModelServer, type ModelServer } from '../test/support/model-server'
import { endHosts } from '../test/support/source-task-host'
import { configFor, createScratch, writeConfig, type Scratch } from '../test/support/scratch'
import { spawnWithParent } from '../test/support/ends-with-parent'

const ROOT = join(import.meta.dirname, '..')

export interface App {
  scratch: Scratch
  page: Page
  /** The server behind the model `local/scripted`. */
  server: ModelServer
  /** Quits the program and starts it again on the same home. */
  restart(): Promise<void>
  /** Kills the program. */
  kill(): Promise<void>
  /** Suspends the program, with its connections open, until `thaw`. */
  freeze(): void
  thaw(): void
  /** Only on the web host: the URL the program printed. */
  url: string | undefined
}

export interface AppSetup {
  /** The responses of the model behind `local/scripted`. */
  model: { script: ModelScript }
  files: Record<string, string>
  /** `true`: no provider is configured, as on first run. */
  bare: boolean
  config: Parameters<typeof configFor>[1]
  /** Files in the user's home; if set, the home is created for the story. */
  userFiles: Record<string, string>
}

interface Running {
  page: Page
  url?: string
  close(): Promise<void>
  kill(): Promise<void>
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
}

/** Chromium for the web host. Each story gets its own profiles; the stories of a worker share one browser process. */
type SharedBrowser = () => Promise<Browser>

export const test = base.extend<AppSetup & { app: App }, { sharedBrowser: SharedBrowser }>({
  sharedBrowser: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright accepts nothing else.
    async ({}, use) => {
      let browser: Browser | undefined
      await use(async () => {
        if (browser?.isConnected()) return browser
        const executable = await findChromium()
        if (executable === null) throw new Error(NO_CHROMIUM)
        return (browser = await launchChromium(executable))
      })
      await browser?.close()
    },
    { scope: 'worker' },
  ],
  model: [{ script: [{ text: 'Hello.' }] }, { option: true }],
  files: [{ 'README.md': '# A project\n\nfirst line\nsecond line\n' }, { option: true }],
  bare: [false, { option: true }],
  config: [{}, { option: true }],
  userFiles: [{}, { option: true }],
  app: async ({ model, files, bare, config, userFiles, sharedBrowser }, use) => {
    const scratch = createScratch(files)
    const userHome = Object.keys(userFiles).length > 0 ? createScratch(userFiles) : undefined
    const server = await startModelServer(model)
    if (!bare) writeConfig(scratch.home, configFor(server.baseUrl, config))
    const electron = electronBinary()
    const start = async (): Promise<Running> => {
      const started = await (electron
        ? startElectron(electron, environment(scratch, userHome))
        : startWeb(environment(scratch, userHome), sharedBrowser))
      // The page handles keys only after both have appeared.
      await started.page.getByRole('button', { name: 'Settings', exact: true }).waitFor()
      await started.page.locator('html[data-keys=ready]').waitFor()
      return started
    }
    let running = await start()
    const app: App = {
      scratch,
      server,
      page: running.page,
      url: running.url,
      async restart() {
        await running.close()
        running = await start()
        app.page = running.page
        app.url = running.url
      },
      kill: () => running.kill(),
      freeze: () => running.signal('SIGSTOP'),
      thaw: () => running.signal('SIGCONT'),
    }
    await use(app)
    app.thaw()
    await running.close()
    await server.close()
    // Tasks outlive the program; stop them at the end of the test.
    await endHosts(scratch.home)
    scratch.remove()
    userHome?.remove()
  },
})

export { expect } from '@playwright/test'

/** The repository's own Electron, if its binary is installed. */
function electronBinary(): string | undefined {
  if (process.platform === 'linux' && !process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY']) return undefined
  const override = process.env['ELECTRON_OVERRIDE_DIST_PATH']
  const folder = dirname(createRequire(import.meta.url).resolve('electron/package.json'))
  const note = join(folder, 'path.txt')
  const path =
    override !== undefined
      ? join(override, ...electronProgram(process.platform))
      : existsSync(note)
        ? join(folder, 'dist', readFileSync(note, 'utf8'))
        : undefined
  return path !== undefined && existsSync(path) ? path : undefined
}

function environment(scratch: Scratch, userHome: Scratch | undefined): Record<string, string> {
  return appEnvironment(process.env, {
    TRESTLE_KEY_STORE: 'file',
    TRESTLE_HOME: scratch.home,
    ...(userHome && { HOME: userHome.project, USERPROFILE: userHome.project }),
  })
}

async function startElectron(executablePath: string, env: Record<string, string>): Promise<Running> {
  const app = await _electron.launch({ executablePath, args: [join(ROOT, 'out', 'main', 'index.js')], env })
  return {
    page: await app.firstWindow(),
    close: () => app.close(),
    async kill() {
      app.process().kill('SIGKILL')
    },
    signal: (signal) => void app.process().kill(signal),
  }
}

async function startWeb(env: Record<string, string>, sharedBrowser: SharedBrowser): Promise<Running> {
  const child = spawnWithParent([join(ROOT, 'out', 'main', 'cli.js'), 'serve'], { env })
  // The page is made while the program starts.
  const opened = sharedBrowser().then(async (browser) => ({
    browser,
    page: await browser.newPage({ viewport: { width: 1440, height: 900 } }),
  }))
  const [url, { browser, page }] = await Promise.all([printedUrl(child), opened])
  await page.goto(url)
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal)
      await exited
    }
  }
  return {
    page,
    url,
    async close() {
      // Closes the contexts of the story's other pages too: a worker runs one story at a time.
      await Promise.all(browser.contexts().map((context) => context.close()))
      await end('SIGTERM')
    },
    kill: () => end('SIGKILL'),
    signal: (signal) => void child.kill(signal),
  }
}

function printedUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let out = ''
    child.stdout!.on('data', (chunk: Buffer) => {
      out += chunk.toString('utf8')
      const found = /http:\/\/\S+/.exec(out)
      if (found) resolve(found[0])
    })
    child.once('exit', (code) =>
      reject(new Error(`The program ended with ${code} before it printed its address: ${out}`)),
    )
  })
}
