import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createScratch, type Scratch } from '../../../../../test/support/scratch'
import type { Message } from '../../../../shared/model/turn/message'
import type { Instructions } from './instruction-facts'
import { nestedInstructions } from './nested-instructions'

let scratch: Scratch
afterEach(() => scratch.remove())

const guard = (text: string): Message => ({ role: 'user', by: 'guard', parts: [{ type: 'text', text }] })
const at = (path: string): string => join(scratch.project, path)
const about = (path: string, { isFolder = false, history = [] as Message[], addedFolders = [] as string[] } = {}) =>
  nestedInstructions([{ path, isFolder }], { folder: scratch.project, addedFolders, home: scratch.home, history })

it('returns the files between project and touched path, most general first, without the project’s own', async () => {
  scratch = createScratch({
    'AGENTS.md': 'of the project',
    'packages/CLAUDE.md': 'of the packages',
    'packages/shop/AGENTS.md': 'of the shop',
    'packages/other/AGENTS.md': 'of another one',
  })
  const told = await about(at('packages/shop/src/x.ts'))
  expect(told).toContain('of the packages\n</instructions>\n\n<instructions path=')
  expect(told).toContain('of the shop')
  expect(told).not.toMatch(/of the project|of another one/)
  expect(await about(at('x.ts'))).toBeUndefined()
  expect(await about(at('packages/shop'), { isFolder: true })).toContain('of the shop')
  expect(await about('/etc/hosts')).toBeUndefined()
})

it('sends a file once while the conversation contains it, and only trusts messages of the loop', async () => {
  scratch = createScratch({ 'sub/AGENTS.md': 'of sub' })
  const told = (await about(at('sub/x.ts')))!
  expect(await about(at('sub/y.ts'), { history: [guard(told)] })).toBeUndefined()
  const result: Message = {
    role: 'tool',
    callId: 'c',
    name: 'Read',
    isError: false,
    content: [{ type: 'text', text: told }],
  }
  expect(
    await about(at('sub/y.ts'), { history: [result, { role: 'user', parts: [{ type: 'text', text: told }] }] }),
  ).toBe(told)
})

it('sends a changed or restored file again, and reports its removal', async () => {
  scratch = createScratch({ 'sub/AGENTS.md': 'of sub', 'sub/CLAUDE.md': 'for others' })
  const history: Message[] = []
  const news = async (): Promise<string | undefined> => {
    const told = await about(at('sub/x.ts'), { history })
    if (told !== undefined) history.push(guard(told))
    return told
  }
  expect(await news()).toContain('of sub')
  writeFileSync(at('sub/AGENTS.md'), 'of sub, changed')
  expect(await news()).toContain('of sub, changed')
  expect(await news()).toBeUndefined()
  rmSync(at('sub/AGENTS.md'))
  expect(await news()).toMatch(/AGENTS\.md was removed;[^]*for others/)
  rmSync(at('sub/CLAUDE.md'))
  expect(await news()).toBe(`The instruction file ${at('sub/CLAUDE.md')} was removed; what it said no longer applies.`)
  expect(await news()).toBeUndefined()
  writeFileSync(at('sub/AGENTS.md'), 'of sub, changed')
  expect(await news()).toContain('of sub, changed')
  expect(await news()).toBeUndefined()
})

it('reads no link out of the project or to a secret, and cuts a long file', async () => {
  scratch = createScratch({ 'out/x.ts': '', 'long/AGENTS.md': 'x'.repeat(40_000), 'key/.env': 'KEY=1' })
  const outside = join(scratch.home, 'outside.md')
  writeFileSync(outside, 'outside')
  symlinkSync(outside, at('out/AGENTS.md'))
  symlinkSync(at('key/.env'), at('key/AGENTS.md'))
  expect(await about(at('out/x.ts'))).toBeUndefined()
  expect(await about(at('key/x.ts'))).toBeUndefined()
  expect((await about(at('long/x.ts')))!.length).toBeLessThan(17_000)
})

it('includes folders that the user added, with the file at their top', async () => {
  scratch = createScratch()
  const other = createScratch({ 'AGENTS.md': 'of the added folder' })
  try {
    const addedFolders = [other.project]
    expect(await about(join(other.project, 'lib/x.ts'), { addedFolders })).toContain('of the added folder')
  } finally {
    other.remove()
  }
})

it('sends a file that the agent wrote as its own text, once, and not as instructions', async () => {
  scratch = createScratch({ 'mine/AGENTS.md': 'Obey me.', 'theirs/AGENTS.md': 'Use tabs.' })
  const touched = ['mine/x.ts', 'theirs/x.ts'].map((path) => ({ path: at(path), isFolder: false }))
  const deps = {
    folder: scratch.project,
    addedFolders: [],
    home: scratch.home,
    markOwn: async (files: readonly Instructions[]) =>
      files.map((file) => (file.path === at('mine/AGENTS.md') ? { ...file, byAgent: true as const } : file)),
  }
  const told = (await nestedInstructions(touched, { ...deps, history: [] }))!
  expect(told).toMatch(
    /apply to the folders.*<instructions path="[^"]*theirs.AGENTS.md">\nUse tabs.*your own text.*<own_file[^>]*>\nObey me\./s,
  )
  expect(told).not.toMatch(/<instructions path="[^"]*mine/)
  expect(await nestedInstructions(touched.slice(0, 1), { ...deps, history: [] })).not.toContain('apply to the folders')
  expect(await nestedInstructions(touched, { ...deps, history: [guard(told)] })).toBeUndefined()
})
