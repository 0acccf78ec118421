import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import type { Hook } from '../config/settings/hook-settings'
import { createHookRunner } from './hook-runner'

it('no run has a negative duration when the clock is set back meanwhile', async () => {
  let clock = Date.UTC(2026, 0, 1)
  const hook: Hook = { event: 'Stop', command: 'true', timeoutMs: 20_000, scope: 'user', file: 'config.toml', index: 0 }
  const runner = createHookRunner({
    home: tmpdir(),
    env: () => ({ PATH: process.env['PATH'] ?? '' }),
    hooksOf: async () => [hook],
    now: () => (clock -= 3_600_000),
  })
  await runner.run(
    { event: hook.event, sessionId: 's', folder: tmpdir(), subject: '', payload: {} },
    new AbortController().signal,
  )
  const [run] = runner.runs()
  expect(run).toMatchObject({ exitCode: 0 })
  expect(run!.durationMs).toBeGreaterThanOrEqual(0)
  expect(run!.durationMs).toBeLessThan(20_000)
  await runner.close(0)
})
