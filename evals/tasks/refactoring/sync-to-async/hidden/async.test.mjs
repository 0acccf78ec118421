import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAllowed } from '../project/src/access.mjs'
import { allowedOf, show } from '../project/src/handlers.mjs'
import { loadUser } from '../project/src/store.mjs'

test('loading is asynchronous', async () => {
  assert.ok(loadUser('ada') instanceof Promise)
  assert.equal((await loadUser('ada')).name, 'Ada')
})
test('access is denied to those who are not active', async () => {
  assert.equal(await isAllowed('ada'), true)
  assert.equal(await isAllowed('bob'), false)
  assert.equal(await isAllowed('eve'), false)
})
test('handlers wait', async () => {
  assert.equal(await show('ada'), 'Hello Ada')
  assert.equal(await show('bob'), 'denied')
})
test('lists are filtered', async () => assert.deepEqual(await allowedOf(['bob', 'ada', 'eve']), ['ada']))
