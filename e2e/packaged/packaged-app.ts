import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { _electron, type ElectronApplication, type Page } from '@playwright/test'
import { appEnvironment } from '../../test/support/app-environment'
import type { ScriptStep } from '../../test/support/model-script'
import { startModelServer, type ModelServer } from '../../test/support/model-server'
import { configFor, createScratch, writeConfig, type Scratch } from '../../test/support/scratch'
import { endHosts } from '../../test/support/source-task-host'
import type { App } from '../app'
import { installApp, type InstalledApp } from './install-app'

/** The PATH of an app started from the Dock or a launcher: nothing from the user's shell. */
const BARE_PATH: Partial<Record<NodeJS.Platform, string>> = {
  darwin: '/usr/bin:/bin:/usr/sbin:/sbin',
  linux: '/usr/bin:/bin',
}

const SETTINGS =
  '[sandbox]\nmode = "off"\n[tool_search]\nmode = "off"\n[[permission.rules]]\ndecision = "allow"\npattern = "Bash"\n'

/**
 * The installed app on a fresh home, driven by Playwright. Implements enough of `App` for the steps of the other
 * stories.
 */
export class PackagedApp implements App {
  readonly scratch: Scratch
  readonly server: ModelServer
  readonly url = undefined
  #installed: InstalledApp
  #app: ElectronApplication | undefined
  #page: Page | undefined

  private constructor(installed: InstalledApp, scratch: Scratch, server: ModelServer) {
    this.#installed = installed
    this.scratch = scratch
    this.server = server
  }

  /** Starts the app; its model follows `script`. */
  static async start(installed: InstalledApp, script: ScriptStep[]): Promise<PackagedApp> {
    const scratch = createScratch({ 'README.md': '# A project\n' })
    const server = await startModelServer({ script })
    writeConfig(scratch.home, `${configFor(server.baseUrl)}\n${SETTINGS}`)
    const memory = { command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory@2026.8.31'] }
    writeFileSync(join(scratch.home, 'mcp.json'), JSON.stringify({ mcpServers: { memory } }))
    const app = new PackagedApp(installed, scratch, server)
    await app.open()
    return app
  }

  get page(): Page {
    if (!this.#page) throw new Error('The app is not open.')
    return this.#page
  }

  async open(): Promise<void> {
    this.#app = await _electron.launch({ executablePath: this.#installed.program, env: this.#environment() })
    this.#page = await this.#app.firstWindow()
    await this.#page.getByRole('button', { name: 'Settings' }).waitFor()
  }

  async quit(): Promise<void> {
    await this.#app?.close()
    this.#app = undefined
  }

  async restart(): Promise<void> {
    await this.quit()
    await this.open()
  }

  async kill(): Promise<void> {
    this.#app?.process().kill('SIGKILL')
  }

  freeze(): void {
    this.#app?.process().kill('SIGSTOP')
  }

  thaw(): void {
    this.#app?.process().kill('SIGCONT')
  }

  /** Number of windows of the app. */
  windows(): number {
    return this.#app?.windows().length ?? 0
  }

  /** Starts the program once more on the same home; resolves with its exit code. */
  launchAgain(): Promise<number | null> {
    return new Promise((resolve, reject) => {
      const second = spawn(this.#installed.program, [], { env: this.#environment(), stdio: 'ignore' })
      second.once('error', reject)
      second.once('exit', resolve)
    })
  }

  /** Installs the same package over the installed one, as an update does. */
  reinstall(): void {
    this.#installed = installApp()
  }

  async remove(): Promise<void> {
    await this.quit()
    await this.server.close()
    await endHosts(this.scratch.home)
    this.scratch.remove()
  }

  #environment(): Record<string, string> {
    const path = BARE_PATH[process.platform]
    return appEnvironment(process.env, { TRESTLE_HOME: this.scratch.home, ...(path !== undefined && { PATH: path }) })
  }
}
