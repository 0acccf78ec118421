import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { test } from 'node:test'
import { runPool } from '../src/run-pool.mjs'

test('results come in the order of the jobs', async () => {
  const jobs = [30, 10, 20].map((ms) => () => wait(ms, ms))
  assert.deepEqual(await runPool(jobs, 2), [30, 10, 20])
})
