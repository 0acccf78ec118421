import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { sandboxSupport } from '../src/main/engine/sandbox/sandbox-support'
import { startWebHost } from '../src/main/host/web/server/web-host'
import type { Approval, PermissionMode } from '../src/shared/model/approval/approval'
import type { CommandSandbox, SandboxStatus } from '../src/shared/model/task/sandbox'
import { findChromium, launchChromium, NO_CHROMIUM } from '../test/support/chromium'
import { memoryEngine, type MemoryEngine } from '../test/support/memory-engine'
import { expect, test } from './app'
import { findings } from './assistive'
import { transcriptText, sendPrompt, startSession } from './steps'

/** The built page with a fake in-memory engine that can report any sandbox. */
const screens = test.extend<{ stage: { engine: MemoryEngine; page: Page } }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the required fixtures from it
  stage: async ({}, use) => {
    const executable = await findChromium()
    if (executable === null) throw new Error(NO_CHROMIUM)
    const engine = memoryEngine()
    const host = await startWebHost({
      engine,
      rendererDir: join(import.meta.dirname, '..', 'out', 'renderer'),
      port: 0,
    })
    const browser = await launchChromium(executable)
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto(host.url)
    await page.getByRole('button', { name: 'Settings' }).waitFor()
    await use({ engine, page })
    await browser.close()
    await host.close()
  },
})

/** A session on screen, with a turn that runs in this sandbox. */
async function inSandbox(
  { engine, page }: { engine: MemoryEngine; page: Page },
  mode: PermissionMode,
  sandbox?: SandboxStatus,
) {
  const { sessionId } = await engine.sessions.create({ folder: '/home/ada/storefront', mode })
  if (sandbox) engine.record(sessionId, { type: 'sandbox.changed', sandbox })
  engine.record(sessionId, {
    type: 'turn.started',
    turnId: 't',
    parts: [{ type: 'text', text: 'Go' }],
    model: 'test/model',
  })
  await page.locator(`[data-row="${sessionId}"]`).click()
  await expect(page.getByRole('button', { name: /^Permissions:/ })).toBeVisible()
  return sessionId
}

const PROJECT: SandboxStatus = {
  level: 'project',
  network: 'listed',
  writable: ['/home/ada/storefront', '/home/ada/.npm'],
  hosts: ['registry.npmjs.org'],
}
const MISSING: SandboxStatus = {
  level: 'unrestricted',
  network: 'open',
  unavailable: { reason: 'bubblewrap is not installed.', remedy: 'Install it: `sudo apt-get install bubblewrap`' },
}

screens.describe('the chip beside the mode', () => {
  for (const width of [390, 1440]) {
    screens(`opens by keyboard to what commands can read, change and connect to, at ${width} px`, async ({ stage }) => {
      const { page } = stage
      await page.setViewportSize({ width: 1440, height: 900 })
      await inSandbox(stage, 'auto', PROJECT)
      await page.setViewportSize({ width, height: 844 })
      const chip = page.getByRole('button', { name: 'Sandbox: Project · listed hosts' })
      await chip.focus()
      await page.keyboard.press('Enter')
      const popover = page.getByRole('dialog', { name: 'Sandbox' })
      await expect(popover.getByRole('list', { name: 'Change' })).toContainText('/home/ada/.npm')
      await expect(popover.getByRole('list', { name: 'Connect to' })).toContainText('registry.npmjs.org')
      await expect(popover).toContainText('Never visible')
      const box = await popover.boundingBox()
      expect(box && box.x >= 0 && box.x + box.width <= width).toBe(true)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        expect(await findings(page)).toEqual([])
      }
      await page.keyboard.press('Escape')
      await expect(popover).toBeHidden()
      await expect(chip).toBeFocused()
    })
  }

  screens('follows the sandbox, and is not there while nothing is known', async ({ stage }) => {
    const { page, engine } = stage
    const sessionId = await inSandbox(stage, 'ask')
    await expect(page.getByRole('button', { name: /^Sandbox:/ })).toHaveCount(0)
    engine.record(sessionId, {
      type: 'sandbox.changed',
      sandbox: { level: 'read-only', network: 'none', writable: [] },
    })
    await expect(page.getByRole('button', { name: 'Sandbox: Read-only' })).toBeVisible()
    engine.record(sessionId, { type: 'sandbox.changed', sandbox: { level: 'project', network: 'none', writable: [] } })
    await expect(page.getByRole('button', { name: 'Sandbox: Project · no network' })).toBeVisible()
    await page.getByRole('button', { name: /^Permissions:/ }).click()
    await expect(page.getByRole('menuitemradio', { name: /Auto/ })).toContainText(
      'Runs commands in the sandbox with the listed hosts.',
    )
  })

  screens('says why there is no sandbox and what installs it, and no mode promises one', async ({ stage }) => {
    const { page } = stage
    await inSandbox(stage, 'auto', MISSING)
    await page.getByRole('button', { name: 'Sandbox: No sandbox' }).click()
    const popover = page.getByRole('dialog', { name: 'Sandbox' })
    await expect(popover).toContainText('bubblewrap is not installed.')
    await expect(popover.getByText('sudo apt-get install bubblewrap', { exact: true })).toBeVisible()
    await expect(popover.getByRole('button', { name: 'Copy command' })).toBeVisible()
    await expect(popover).not.toContainText('Never visible')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Permissions:/ }).click()
    await expect(page.getByRole('menuitemradio', { name: /Auto/ })).toContainText(
      'No sandbox: runs commands unrestricted',
    )
    await expect(page.getByRole('menuitemradio', { name: /Accept edits/ })).toContainText('asks before commands')
  })
})

const OPTIONS: Approval['options'] = [
  { optionId: 'once', kind: 'allow_once', name: 'Allow once', sandbox: 'project' },
  { optionId: 'always', kind: 'allow_always', name: 'Always allow', sandbox: 'project' },
  { optionId: 'unrestricted', kind: 'allow_once', name: 'Run once unrestricted', sandbox: 'unrestricted' },
  { optionId: 'reject', kind: 'reject_once', name: "Don't allow" },
]

screens('what a sandbox refused is one card, and no number key leaves the sandbox', async ({ stage }) => {
  const { page, engine } = stage
  const sessionId = await inSandbox(stage, 'accept-edits', { level: 'project', network: 'none', writable: [] })
  engine.record(
    sessionId,
    { type: 'step.started', turnId: 't', stepId: 's', n: 1, model: 'test/model' },
    {
      type: 'tool.started',
      turnId: 't',
      stepId: 's',
      callId: 'c',
      name: 'Bash',
      summary: 'npm ci',
      input: '{"command":"npm ci"}',
    },
  )
  const ask = (approvalId: string): void =>
    engine.ask(sessionId, approvalId, {
      asks: 'sandbox',
      summary: 'npm ci',
      preview: {
        kind: 'sandbox',
        command: 'npm ci',
        sandbox: { level: 'project', network: 'none' },
        denied: { kind: 'host', host: 'registry.npmjs.org', port: 443 },
        output: 'npm error ENETUNREACH',
      },
      options: OPTIONS,
    })
  ask('first')
  const card = page.getByRole('group', { name: 'Blocked by the sandbox: npm ci' })
  await expect(card).toContainText('The Project sandbox blocked a connection to registry.npmjs.org:443.')
  await expect(card).toContainText('npm error ENETUNREACH')
  await expect(card.locator('.approval-acts').getByRole('button')).toHaveText([
    /Allow once/,
    /Always allow/,
    'Run once unrestricted',
    /Don't allow/,
  ])
  await expect(card.getByRole('button', { name: 'Allow once' })).not.toHaveAttribute('aria-disabled')
  expect(await findings(page)).toEqual([])
  // The third button leaves the sandbox and has no key; 0 rejects on every card.
  await page.keyboard.press('0')
  await expect(card).toBeHidden()
  const chosen = (): unknown[] =>
    engine.sessions.since(sessionId, 0).flatMap((event) => (event.type === 'approval.resolved' ? [event.chosen] : []))
  expect(chosen()).toEqual(['reject'])
  ask('second')
  await expect(card.getByRole('button', { name: 'Run once unrestricted' })).not.toHaveAttribute('aria-disabled')
  await card.getByRole('button', { name: 'Run once unrestricted' }).click()
  await expect(card).toBeHidden()
  expect(chosen()).toEqual(['reject', 'unrestricted'])
})

screens(
  'a command that asks can run in the sandbox first, and the card says what it can do there',
  async ({ stage }) => {
    const { page, engine } = stage
    const sessionId = await inSandbox(stage, 'ask', { level: 'read-only', network: 'none', writable: [] })
    engine.ask(sessionId, 'a', {
      summary: 'npm test',
      preview: { kind: 'command', command: 'npm test', cwd: '/home/ada/storefront' },
      options: [
        { optionId: 'sandbox', kind: 'allow_once', name: 'Run in sandbox', sandbox: 'project', network: 'none' },
        { optionId: 'unrestricted', kind: 'allow_once', name: 'Run unrestricted', sandbox: 'unrestricted' },
        { optionId: 'reject', kind: 'reject_once', name: 'Reject…' },
      ],
    })
    const card = page.getByRole('group', { name: /Approval needed/ })
    await expect(card.getByRole('button', { name: /Run in sandbox/ })).not.toHaveAttribute('aria-disabled')
    await expect(card).toContainText(
      'Run in sandbox: Can change this project, added folders and package caches. Cannot connect to the network.',
    )
    expect(await findings(page)).toEqual([])
  },
)

test('the sandbox settings are edited on their page and saved in config.toml', async ({ app }) => {
  const { page } = app
  const file = join(app.scratch.home, 'config.toml')
  await page.keyboard.press('Control+,')
  await page.getByRole('tab', { name: 'Sandbox' }).click()
  const field = page.getByRole('textbox', { name: 'Add to hosts' })
  await field.fill('https://example.com')
  await field.press('Enter')
  await expect(page.getByText('Enter a host like')).toBeVisible()
  await field.fill('example.com')
  await field.press('Enter')
  await expect(page.getByRole('list', { name: 'Hosts' })).toContainText('example.com')
  await expect(field).toBeEmpty()
  await expect.poll(() => readFileSync(file, 'utf8')).toContain('hosts = ["example.com"]')
  await field.fill('example.com')
  await field.press('Enter')
  await expect(page.getByText('Already in the list')).toBeVisible()
  await page.getByRole('radio', { name: /Required/ }).click()
  await expect.poll(() => readFileSync(file, 'utf8')).toContain('mode = "required"')
  await page.getByRole('switch', { name: 'Use the built-in lists' }).click()
  await expect.poll(() => readFileSync(file, 'utf8')).toContain('defaults = false')
  expect(await findings(page)).toEqual([])
  await page.getByRole('button', { name: 'Remove example.com' }).click()
  await expect.poll(() => readFileSync(file, 'utf8')).not.toContain('example.com')
  // What could not be saved stays in the field.
  writeFileSync(file, 'broken = [')
  await field.fill('other.example')
  await field.press('Enter')
  await expect(page.getByRole('list', { name: 'Hosts' })).toBeHidden()
  await expect(field).toHaveValue('other.example')
})

screens(
  'each command says where it ran, also while it runs, and one without a sandbox stands out',
  async ({ stage }) => {
    const { page, engine } = stage
    const sessionId = await inSandbox(stage, 'auto', PROJECT)
    engine.record(sessionId, { type: 'step.started', turnId: 't', stepId: 's', n: 1, model: 'test/model' })
    const start = (callId: string, command: string): void => {
      const call = {
        turnId: 't',
        stepId: 's',
        callId,
        name: 'Bash',
        summary: command,
        input: JSON.stringify({ command }),
      }
      engine.record(sessionId, { type: 'tool.started', ...call })
    }
    const finish = (callId: string, sandbox: CommandSandbox): void => {
      const details = {
        kind: 'output' as const,
        taskId: callId,
        command: callId,
        exitCode: 0,
        durationMs: 5,
        text: '',
        outputPath: '',
        truncated: false,
        sandbox,
      }
      const result = { turnId: 't', callId, name: 'Bash', content: [], isError: false, durationMs: 5, details }
      engine.record(sessionId, { type: 'tool.finished', ...result })
    }
    start('confined', 'npm test')
    finish('confined', { level: 'project', network: 'listed' })
    start('free', 'docker ps')
    finish('free', { level: 'unrestricted', network: 'open' })
    start('running', 'npm run dev')
    engine.record(sessionId, {
      type: 'tool.judged',
      turnId: 't',
      callId: 'running',
      decision: 'allow',
      reason: 'Auto',
      sandbox: 'project',
    })
    const row = (callId: string) => page.locator(`[data-call="${callId}"]`)
    await expect(row('confined').getByText('Sandbox: Project', { exact: true })).toBeVisible()
    await expect(row('running').getByText('Sandbox: Project', { exact: true })).toBeVisible()
    const free = row('free').getByText('Sandbox: Unrestricted', { exact: true })
    await expect(free).toHaveClass(/text-wait-ink/)
    expect(await findings(page)).toEqual([])
  },
)

/** Whether commands can be sandboxed here, as the stories in the real sandbox require. */
const HAS_SANDBOX = sandboxSupport().kind !== 'none'

const bash = (command: string) => ({ toolCalls: [{ name: 'Bash', input: { command, description: 'test' } }] })

test.describe('in the real sandbox', () => {
  test.skip(!HAS_SANDBOX, 'bubblewrap is not installed')

  test.describe('the chip', () => {
    test.use({
      model: {
        script: [bash('cat README.md'), { text: 'Looked at it.' }, bash('echo hi > made.txt'), { text: 'All set.' }],
      },
    })

    test('is correct after each change of the mode, and a command shows where it ran', async ({ app }) => {
      const { page } = app
      await startSession(app)
      await sendPrompt(page, 'read')
      await expect(transcriptText(page, 'Looked at it.')).toBeVisible()
      await expect(page.getByRole('button', { name: 'Sandbox: Read-only', exact: true })).toBeVisible()
      await expect(page.locator('[data-call]').first().getByText('Sandbox: Read-only', { exact: true })).toBeVisible()
      const choose = async (mode: RegExp, chip: string): Promise<void> => {
        await page.getByRole('button', { name: /^Permissions:/ }).click()
        await page.getByRole('menuitemradio', { name: mode }).click()
        await expect(page.getByRole('button', { name: `Sandbox: ${chip}`, exact: true })).toBeVisible()
      }
      await choose(/^Auto/, 'Project · listed hosts')
      await page.getByRole('button', { name: /^Sandbox: / }).click()
      await expect(
        page.getByRole('dialog', { name: 'Sandbox' }).getByRole('list', { name: 'Connect to' }),
      ).toContainText('registry.npmjs.org')
      await page.keyboard.press('Escape')
      await choose(/^Plan/, 'Read-only')
      await choose(/^Ask first/, 'Read-only')
      await choose(/^Accept edits/, 'Project · no network')
      await sendPrompt(page, 'make')
      await expect(transcriptText(page, 'All set.')).toBeVisible()
      expect(readFileSync(join(app.scratch.project, 'made.txt'), 'utf8')).toBe('hi\n')
      await expect(page.locator('[data-call]').last().getByText('Sandbox: Project', { exact: true })).toBeVisible()
    })
  })

  test.describe('a call that the sandbox blocks', () => {
    test.use({
      files: { 'build.sh': 'echo new > .vscode/settings.json && echo written\n', '.vscode/settings.json': 'old\n' },
      model: { script: [bash('bash build.sh'), { text: 'Finished.' }] },
    })

    test('shows one card, and the command then works as the card states', async ({ app }) => {
      const { page } = app
      await startSession(app)
      await page.getByRole('button', { name: /^Permissions:/ }).click()
      await page.getByRole('menuitemradio', { name: /^Auto/ }).click()
      await sendPrompt(page, 'build')
      const card = page.getByRole('group', { name: /^Blocked by the sandbox/ })
      await expect(card).toContainText('The Project sandbox blocked writing to')
      await expect(card).toContainText('.vscode')
      expect(readFileSync(join(app.scratch.project, '.vscode', 'settings.json'), 'utf8')).toBe('old\n')
      await card.getByRole('button', { name: 'Run once unrestricted' }).click()
      await expect(transcriptText(page, 'Finished.')).toBeVisible()
      await expect(card).toHaveCount(0)
      expect(readFileSync(join(app.scratch.project, '.vscode', 'settings.json'), 'utf8')).toBe('new\n')
    })
  })
})
