import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runCli } from '../support/run-cli'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'trestle-settings-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

it('a tool search setting is shown, changed in place, and shown as changed', async () => {
  writeFileSync(join(home, 'config.toml'), '# mine\n[tool_search] # about tools\nmin_pct = 7.5\n')
  expect(await runCli(['settings'], { home })).toMatchObject({
    code: 0,
    stdout:
      'toolSearch.enabled false\ntoolSearch.minPct 7.5\ntoolSearch.minTokens 50000\ntoolSearch.matchingThreshold 1.5\n',
  })
  expect(await runCli(['settings', 'toolSearch.enabled', 'true'], { home })).toMatchObject({
    code: 0,
    stdout: 'true\n',
  })
  expect(await runCli(['settings', 'toolSearch.minPct', '0'], { home })).toMatchObject({ code: 0, stdout: '0\n' })
  expect(JSON.parse((await runCli(['settings', '--json'], { home })).stdout)).toMatchObject({
    'toolSearch.enabled': true,
    'toolSearch.minPct': 0,
  })
  expect(readFileSync(join(home, 'config.toml'), 'utf8')).toMatch(
    /^# mine\n\[tool_search\] # about tools\nmin_pct = 0\nenabled = true\n/,
  )
})

it.each([
  [['toolSearch.enable', 'true'], /did you mean toolSearch.enabled\?/],
  [['toolSearch.enabled', 'yes'], /true or false, not "yes"/],
  [['toolSearch.minPct', '101'], /number from 0 to 100/],
  [['toolSearch.minTokens', '1.5'], /whole number/],
  [['toolSearch.minTokens', ''], /whole number/],
])('%j is rejected with the accepted values, and changes nothing', async (args, said) => {
  const run = await runCli(['settings', ...args], { home })
  expect(run.code).toBe(2)
  expect(run.stderr).toMatch(said)
  expect((await runCli(['settings', 'toolSearch.enabled'], { home })).stdout).toBe('false\n')
})
