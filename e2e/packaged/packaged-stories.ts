import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import sharp from 'sharp'
import type { ScriptStep } from '../../test/support/model-script'
import { transcriptText, sendPrompt, startSession } from '../steps'
import type { PackagedApp } from './packaged-app'

/** A story on the installed app. The model follows `script`, one step per request. */
export interface PackagedStory {
  name: string
  script: ScriptStep[]
  run(app: PackagedApp): Promise<void>
}

const bash = (command: string, more: Record<string, unknown> = {}): ScriptStep => ({
  toolCalls: [{ name: 'Bash', input: { command, description: 'works', ...more } }],
})

/** Writes a line every second, so that a test can see whether it still runs. */
const TICKS = 'while :; do echo tick >> ticks.txt; sleep 1; done'

export const STORIES: PackagedStory[] = [
  {
    name: 'a command runs with the PATH of a desktop, and opens no second app',
    script: [bash('echo "path is $PATH"'), { text: 'ran it' }],
    async run(app) {
      await startSession(app)
      await sendPrompt(app.page, 'run it')
      await expect(transcriptText(app.page, 'ran it')).toBeVisible()
      expect(app.windows()).toBe(1)
    },
  },
  {
    name: 'a second launch shows the window that is there and ends',
    script: [],
    async run(app) {
      expect(await app.launchAgain()).toBe(0)
      expect(app.windows()).toBe(1)
    },
  },
  {
    name: 'an image is read and scaled without taking the app down',
    script: [{ toolCalls: [{ name: 'ReadMediaFile', input: { path: 'large.png' } }] }, { text: 'seen' }],
    async run(app) {
      const image = sharp({ create: { width: 4000, height: 3000, channels: 3, background: '#336699' } })
      writeFileSync(join(app.scratch.project, 'large.png'), await image.png().toBuffer())
      await startSession(app)
      await sendPrompt(app.page, 'look')
      await expect(transcriptText(app.page, 'seen')).toBeVisible()
    },
  },
  {
    name: 'an MCP server starts through npx',
    script: [{ toolCalls: [{ name: 'mcp__memory__read_graph', input: {} }] }, { text: 'asked it' }],
    async run(app) {
      await startSession(app)
      await sendPrompt(app.page, 'ask the server')
      await expect(transcriptText(app.page, 'asked it')).toBeVisible({ timeout: 120_000 })
      expect(JSON.stringify(app.server.requests.at(-1)?.body)).toContain('entities')
    },
  },
  {
    name: 'a background command survives quitting and reinstalling',
    script: [bash(TICKS, { run_in_background: true, disable_timeout: true }), { text: 'started' }],
    async run(app) {
      await startSession(app)
      await sendPrompt(app.page, 'start it')
      await expect(transcriptText(app.page, 'started')).toBeVisible()
      const ticks = join(app.scratch.project, 'ticks.txt')
      const count = (): number => (existsSync(ticks) ? readFileSync(ticks, 'utf8').length : 0)
      await expect.poll(count, { timeout: 60_000 }).toBeGreaterThan(0)
      await app.quit()
      app.reinstall()
      const before = count()
      await expect.poll(count, { timeout: 60_000 }).toBeGreaterThan(before)
      await app.open()
      await app.page.getByRole('button', { name: /Tasks/ }).first().click()
      await expect(app.page.getByText('Running').first()).toBeVisible()
    },
  },
]
