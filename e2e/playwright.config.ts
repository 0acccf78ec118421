import { defineConfig } from '@playwright/test'

/**
 * Stories on the running app: Electron if its binary is installed, otherwise the web host in Chromium. Run through `npm
 * run e2e`.
 */
export default defineConfig({
  testDir: '.',
  testMatch: '*.story.ts',
  // Generous: on a busy machine, a story of five seconds can take half a minute.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  fullyParallel: true,
  // One more than the two cores of a small machine: stories wait for a program and a browser half the time.
  workers: 3,
  retries: 0,
  forbidOnly: true,
  reporter: process.env['PLAYWRIGHT_JSON_OUTPUT_NAME'] ? [['list'], ['json']] : [['list']],
  outputDir: '../test-results',
})
