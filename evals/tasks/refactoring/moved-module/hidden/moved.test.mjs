import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { clock as moved } from '../project/src/time/clock.mjs'
import { clock, run } from '../project/src/main.mjs'

test('the module works in its new place', () => assert.equal(moved(), '12:00 UTC'))
test('it is exported as before', () => assert.equal(clock, moved))
test('jobs find it', async () => assert.equal(await run('nightly'), 'nightly at 12:00 UTC'))
test('jobs that load it late find it', async () => assert.equal(await run('weekly'), 'weekly at 12:00 UTC'))
test('nothing is left in the old place', () => assert.equal(existsSync(new URL('../project/src/util/clock.mjs', import.meta.url)), false))
