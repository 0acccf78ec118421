import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder'
import { saveResult } from './save-result'

it('saves each result in its own file, whatever the id of its call', async () => {
  const home = await tempFolder()
  const long = 'x'.repeat(300)
  const ids = ['call_1', 'call-1', 'call/1', 'call:1', `${long}1`, `${long}2`, '../../etc/passwd', '..', '']
  const paths: string[] = []
  for (const id of ids) paths.push(await saveResult(home, 'session', id, `result of ${id}`))
  expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(ids.map((id) => `result of ${id}`))
  expect(new Set(paths).size).toBe(ids.length)
  expect(paths.every((path) => path.startsWith(`${home}/sessions/session/tool-results/`))).toBe(true)
  expect(Math.max(...paths.map((path) => basename(path).length))).toBeLessThan(130)
  // Files of ordinary ids are easy to find.
  expect(basename(paths[0]!)).toBe('call_1.txt')
})
