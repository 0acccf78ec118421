/**
 * `npm run screenshots`: retakes the pictures in docs/images with the built program, in its own home with a scripted
 * model. Arguments: names of pictures (default: all).
 */
import '../test/support/ts-hooks.mjs'
import './build.ts'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { findChromium, launchChromium, NO_CHROMIUM } from '../test/support/chromium.ts'
import { startModelServer } from '../test/support/model-server.ts'
import { serveApp } from '../test/support/served-app.ts'
import { CENTS, FLAKY, KEYS, play, type Conversation } from './screenshots/conversations.ts'
import { FEATURES, takeFeatures } from './screenshots/features.ts'
import { fillStore } from './screenshots/fill-store.ts'
import { fillHome } from './screenshots/storefront.ts'

// Its imports have no file extensions: it can be loaded only after the hooks are installed.
const { endHosts } = await import('../test/support/source-task-host.ts')

const IMAGES = join(import.meta.dirname, '..', 'docs', 'images')
const WIDE = { width: 1440, height: 900 }
const NARROW = { width: 420, height: 860 }
const PHONE = { width: 390, height: 844 }
/** The project's own rules in the picture of trust. */
const PROJECT_RULES = `[[permission.rules]]
decision = "allow"
pattern = "Bash(./keys/verify.sh *)"

[[permission.rules]]
decision = "deny"
pattern = "Bash(./keys/rotate.sh production *)"
`

const wanted = process.argv.slice(2)
const executable = await findChromium()
if (executable === null) throw new Error(NO_CHROMIUM)
const scratch = mkdtempSync(join(realpathSync(tmpdir()), 'trestle-pictures-'))
const browser = await launchChromium(executable)
mkdirSync(IMAGES, { recursive: true })
try {
  const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name)
  if (wanted.length === 0 || wanted.some((name) => !FEATURES.includes(name))) {
    await firstDay(browser)
    await workday(browser)
  }
  if (FEATURES.some(isWanted)) await workbench(browser)
} finally {
  await browser.close()
  rmSync(scratch, { recursive: true, force: true })
}

/** Nothing is configured yet. */
async function firstDay(browser: Browser): Promise<void> {
  const home = makeHome('new')
  const app = await serveApp(environment(home))
  try {
    const page = await openPage(browser, app.url)
    await page.getByRole('button', { name: /Choose a folder/ }).waitFor()
    await take(page, 'first-run')
  } finally {
    await app.close()
    await endHosts(join(home, '.trestle'))
  }
}

async function workday(browser: Browser): Promise<void> {
  const home = makeHome('used')
  const server = await startModelServer({ script: play })
  const configFile = join(home, '.trestle', 'config.toml')
  writeFileSync(configFile, config(server.baseUrl), { mode: 0o600 })
  const ids = await fillStore(home, join(home, '.trestle'), Date.now())
  const app = await serveApp({
    ...environment(home),
    MOONSHOT_API_KEY: 'of-the-pictures',
    ANTHROPIC_API_KEY: 'of-the-pictures',
  })
  try {
    const page = await openPage(browser, app.url)
    const open = (title: string): Promise<void> => page.locator(`[data-row="${ids.get(title)}"]`).click()
    const start = async ({ title, prompt }: Conversation): Promise<void> => {
      await open(title)
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
      await say(page, prompt)
    }
    const allow = (name: RegExp): Promise<void> =>
      page
        .getByRole('group', { name })
        .getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ })
        .click()

    await start(KEYS)
    await page.getByRole('group', { name: /Bash/ }).waitFor()
    await page.getByRole('button', { name: 'Why?' }).click()
    await take(page, 'approval')

    await start(CENTS)
    await allow(/Bash npx tsc/)
    const command = page.getByRole('button', { name: /Bash .*npx tsc/ })
    await command.click()
    await page.getByText('Checking src/catalogue/price-tag.tsx').waitFor()

    await start(FLAKY)
    await allow(/Bash npx vitest/)
    await page.getByRole('group', { name: /Edit/ }).waitFor()
    await say(page, 'and run the whole suite ten times afterwards')
    await page.getByRole('list', { name: /queue|next/i }).waitFor()
    await take(page, 'workbench-light')
    await page.emulateMedia({ colorScheme: 'dark' })
    await take(page, 'workbench-dark')
    await page.emulateMedia({ colorScheme: 'light' })

    await page.setViewportSize(NARROW)
    await take(page, 'narrow')
    await page.setViewportSize(WIDE)

    await page.keyboard.press('Control+u')
    await page.getByRole('group', { name: /Approval needed: Bash/ }).waitFor()
    await take(page, 'inbox')
    await page.setViewportSize(PHONE)
    await take(page, 'phone')
    await page.setViewportSize(WIDE)
    await page.getByRole('button', { name: /Allow always/ }).click()
    await page.getByRole('radiogroup', { name: 'What the rule covers' }).waitFor()
    await take(page, 'allow-always')
    await page.keyboard.press('Escape')

    mkdirSync(join(home, 'code', 'infra', '.trestle'))
    writeFileSync(join(home, 'code', 'infra', '.trestle', 'config.toml'), PROJECT_RULES)
    await page.reload()
    await open(KEYS.title)
    await page.getByRole('button', { name: 'Trust folder' }).waitFor()
    await take(page, 'trust')

    await page.getByRole('button', { name: 'Settings' }).first().click()
    // The address of the scripted server differs each time.
    writeFileSync(configFile, config())
    await page.getByText('https://api.moonshot').first().waitFor()
    await take(page, 'settings')

    writeServers(home)
    await page.getByRole('tab', { name: 'MCP' }).click()
    const servers = page.getByRole('list', { name: 'MCP servers' })
    for (const name of ['memory', 'files']) {
      const row = servers.locator('> li').filter({ hasText: `mcp-${name}` })
      await row.getByRole('button', { expanded: false }).click()
      await row.getByRole('button', { name: 'Start', exact: true }).click()
      await row.getByText('connected').waitFor()
      if (name === 'memory') await row.getByRole('button', { expanded: true }).click()
    }
    await take(page, 'mcp')
  } finally {
    await app.close()
    await endHosts(join(home, '.trestle'))
    await server.close()
  }
}

/** The panes beside the conversation, in a project with changes. */
async function workbench(browser: Browser): Promise<void> {
  const home = makeHome('workbench')
  const server = await startModelServer({ script: play })
  writeFileSync(join(home, '.trestle', 'config.toml'), config(server.baseUrl), { mode: 0o600 })
  const app = await serveApp({ ...environment(home), MOONSHOT_API_KEY: 'of-the-pictures' })
  try {
    await takeFeatures(await openPage(browser, app.url), {
      project: join(home, 'code', 'storefront'),
      url: app.url,
      take,
    })
  } finally {
    await app.close()
    await endHosts(join(home, '.trestle'))
    await server.close()
  }
}

/** Two real servers with short names, and one that is only configured. */
function writeServers(home: string): void {
  for (const name of ['filesystem', 'memory']) {
    const entry = join(
      import.meta.dirname,
      '..',
      'node_modules',
      '@modelcontextprotocol',
      `server-${name}`,
      'dist',
      'index.js',
    )
    const program = join(home, 'bin', name === 'memory' ? 'mcp-memory' : 'mcp-files')
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${entry}' "$@"\n`, { mode: 0o755 })
  }
  const mcpServers = {
    files: { command: 'mcp-files', args: ['code'], disabledTools: ['move_file'] },
    memory: { command: 'mcp-memory', env: { MEMORY_FILE_PATH: join(home, 'memory.jsonl') } },
    tracker: { url: 'https://mcp.tracker.example/mcp', headers: { Authorization: 'Bearer ${TRACKER_TOKEN}' } },
  }
  writeFileSync(join(home, '.trestle', 'mcp.json'), JSON.stringify({ mcpServers }, undefined, 2), { mode: 0o600 })
}

function makeHome(name: string): string {
  const home = join(scratch, name)
  mkdirSync(join(home, '.trestle'), { recursive: true, mode: 0o700 })
  fillHome(home)
  return home
}

function environment(home: string): Record<string, string> {
  return {
    PATH: [join(home, 'bin'), process.env['PATH'] ?? ''].join(delimiter),
    HOME: home,
    TRESTLE_HOME: join(home, '.trestle'),
    LANG: 'C.UTF-8',
  }
}

/** Without an address: the vendor's default. */
function config(baseUrl?: string): string {
  return `default_model = "moonshot/kimi-k2-thinking"

[providers.moonshot]
type = "moonshot"
${baseUrl === undefined ? '' : `base_url = "${baseUrl}"`}
api_key_env = "MOONSHOT_API_KEY"

[providers.anthropic]
type = "anthropic"
api_key_env = "ANTHROPIC_API_KEY"

[providers.ollama]
type = "openai-compatible"
base_url = "http://127.0.0.1:11434/v1"

[models."moonshot/kimi-k2-thinking"]
provider = "moonshot"
model = "kimi-k2-thinking"
context_window = 128000
capabilities = ["tools", "thinking"]
prices = { input = 0.6, cache_read = 0.15, output = 2.5 }

[models."ollama/qwen3-coder"]
provider = "ollama"
model = "qwen3-coder:30b"
label = "Qwen3 Coder (local)"
context_window = 64000
capabilities = ["tools"]
`
}

async function openPage(browser: Browser, url: string): Promise<Page> {
  const context = await browser.newContext({
    viewport: WIDE,
    locale: 'en-GB',
    timezoneId: 'UTC',
    colorScheme: 'light',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  // The page's clock is frozen, so that relative times are the same in every picture.
  await page.clock.setFixedTime(Date.now())
  await page.goto(url)
  return page
}

async function say(page: Page, words: string): Promise<void> {
  const message = page.getByRole('textbox', { name: 'Message', exact: true })
  await message.fill(words)
  await message.press('Enter')
}

async function take(page: Page, name: string): Promise<void> {
  if (wanted.length > 0 && !wanted.includes(name)) return
  await page.mouse.move(0, 0)
  await page.evaluate(
    'document.fonts.ready.then(() => new Promise((resolve) => ' +
      'requestAnimationFrame(() => requestAnimationFrame(resolve))))',
  )
  await page.screenshot({ path: join(IMAGES, `${name}.png`), animations: 'disabled', caret: 'hide' })
  process.stdout.write(`docs/images/${name}.png\n`)
}
