import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { startModelServer } from '../support/model-server'
import { runCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig } from '../support/scratch'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step()
})

it('a session without a project writes files and runs commands in its own private folder, not where it was started', async () => {
  const scratch = createScratch()
  undo.push(() => scratch.remove())
  const write = { name: 'Write', input: { path: 'note.txt', content: 'written' } }
  const run = { name: 'Bash', input: { command: 'cat note.txt; pwd; echo more > more.txt' } }
  const script = [{ toolCalls: [write] }, { toolCalls: [run] }, { text: 'done' }]
  const model = await startModelServer({ script: [...script, ...script] })
  undo.push(() => model.close())
  writeConfig(scratch.home, configFor(model.baseUrl))
  const print = () =>
    runCli(['print', 'go', '--no-project', '--permission-mode', 'auto', '--output-format', 'json'], {
      home: scratch.home,
      cwd: scratch.project,
    })

  for (let n = 1; n <= 2; n += 1) {
    const { code, stderr } = await print()
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const folders = join(dirname(scratch.home), '.trestle-scratch')
    expect(statSync(folders).mode & 0o777).toBe(0o700)
    const names = readdirSync(folders)
    expect(names).toHaveLength(n)
    for (const name of names) {
      expect(readdirSync(join(folders, name)).toSorted()).toEqual(['more.txt', 'note.txt'])
      expect(readFileSync(join(folders, name, 'note.txt'), 'utf8')).toBe('written')
    }
    const told = JSON.stringify(model.requests.at(-1)!.body)
    expect(names.some((name) => told.includes(`written${join(folders, name)}`))).toBe(true)
  }
  expect(readdirSync(scratch.project)).toEqual([])
})

it.each([
  ['--cwd', '.'],
  ['--session', 'x'],
])('--no-project beside %s is refused', async (...other) => {
  const scratch = createScratch()
  undo.push(() => scratch.remove())
  const { code, stderr } = await runCli(['print', 'go', '--no-project', ...other], { home: scratch.home })
  expect(code).toBe(2)
  expect(stderr).toContain(`--no-project and ${other[0]} cannot be combined.`)
})
