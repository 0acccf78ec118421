import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createScratch, type Scratch } from '../../../../../test/support/scratch'
import { takeProjectSnapshot } from './project-snapshot'

let scratch: Scratch
afterEach(() => scratch.remove())

const around = () => ({ env: { PATH: process.env['PATH'] ?? '' }, cwd: scratch.home })

it('lists the project folder without dependencies, sensitive and hidden files, and sandbox placeholders', async () => {
  scratch = createScratch({
    'src/a.ts': '',
    'node_modules/x/y.js': '',
    '.env': 'KEY=1',
    id_rsa: 'key',
    'README.md': '',
    'hidden.txt': '',
  })
  for (const name of ['.git', '.vscode', '.mcp.json']) mkdirSync(join(scratch.project, name))
  const hidden = (path: string): boolean => path === join(scratch.project, 'hidden.txt')
  const { entries, git } = await takeProjectSnapshot(
    { folder: scratch.project, top: undefined },
    { ...around(), hidden },
  )
  expect(entries).toEqual(['README.md', 'src/'])
  expect(git).toBeUndefined()
})

it('does not fail if the folder does not exist', async () => {
  scratch = createScratch()
  const gone = join(scratch.project, 'gone')
  expect(await takeProjectSnapshot({ folder: gone, top: gone }, around())).toEqual({ entries: [] })
})
