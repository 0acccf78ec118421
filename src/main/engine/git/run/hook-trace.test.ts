import { appendFileSync, existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { hookTrace } from './hook-trace'

const start = (sid: string, id: number, name: string) => ({
  event: 'child_start',
  sid,
  child_id: id,
  child_class: 'hook',
  hook_name: name,
})
const exit = (sid: string, id: number, code: number) => ({ event: 'child_exit', sid, child_id: id, code })

async function hooksOf(...lines: (object | string)[]) {
  const trace = hookTrace(await tempFolder())
  const text = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')
  appendFileSync(trace.env['GIT_TRACE2_EVENT']!, text)
  return trace.read()
}

test('hooks are listed in order, each with its exit code', async () => {
  expect(
    await hooksOf(
      { event: 'version' },
      start('a', 0, 'pre-commit'),
      exit('a', 0, 0),
      start('a', 1, 'commit-msg'),
      exit('a', 1, 3),
    ),
  ).toEqual([
    { name: 'pre-commit', code: 0 },
    { name: 'commit-msg', code: 3 },
  ])
})

test('the exit of another process is not mistaken for that of a hook', async () => {
  const editor = { event: 'child_start', sid: 'a', child_id: 1, child_class: 'editor' }
  expect(await hooksOf(start('a', 0, 'pre-push'), editor, exit('a', 1, 9), exit('a/b', 0, 9), exit('a', 0, 1))).toEqual(
    [{ name: 'pre-push', code: 1 }],
  )
})

test('truncated lines and lines that are not objects are skipped', async () => {
  expect(await hooksOf('null', '[1]', '', start('a', 0, 'pre-commit'), '{"event":"child_ex')).toEqual([
    { name: 'pre-commit', code: 0 },
  ])
})

test('without a trace there are no hooks, and removing it twice is not an error', async () => {
  const trace = hookTrace(await tempFolder())
  expect(trace.read()).toEqual([])
  appendFileSync(trace.env['GIT_TRACE2_EVENT']!, '')
  trace.remove()
  trace.remove()
  expect(existsSync(trace.env['GIT_TRACE2_EVENT']!)).toBe(false)
})
