import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { test } from 'node:test'
import { runPool } from '../project/src/run-pool.mjs'

test('results come in the order of the jobs', async () => {
  const jobs = [30, 10, 20].map((ms) => () => wait(ms, ms))
  assert.deepEqual(await runPool(jobs, 2), [30, 10, 20])
})
test('no more run at once than allowed', async () => {
  let running = 0
  let most = 0
  const job = async () => {
    running += 1
    most = Math.max(most, running)
    await wait(5)
    running -= 1
  }
  await runPool(Array.from({ length: 8 }, () => job), 3)
  assert.equal(most, 3)
})
test('after a failure nothing further begins, and what runs is waited for', async () => {
  const begun = []
  let ended = 0
  const job = (name, ms, fails) => async () => {
    begun.push(name)
    await wait(ms)
    ended += 1
    if (fails) throw new Error(name)
    return name
  }
  const jobs = [job('a', 40, false), job('b', 5, true), job('c', 5, false), job('d', 5, false)]
  await assert.rejects(runPool(jobs, 2), /^Error: b$/)
  assert.deepEqual([begun, ended], [['a', 'b'], 2])
})
test('a job that throws at once is a failure like any other', async () => {
  const jobs = [() => { throw new Error('at once') }]
  await assert.rejects(runPool(jobs, 2), /at once/)
})
test('no jobs', async () => assert.deepEqual(await runPool([], 2), []))
