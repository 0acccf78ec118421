import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../store/database/database'
import type { Database } from '../store/database/database'
import { createMemoryRows } from '../store/rows/memory-rows'
import { MIGRATIONS } from '../store/migrations'
import { createMemory, type Memory } from './memory'
import { isRecall } from './recall-text'
import { cpuMs } from '../../../../test/support/cpu-time'

const FIXTURES = join(import.meta.dirname, '../../../../test/fixtures/memory')
const lines = (name: string): [string, string][] =>
  readFileSync(join(FIXTURES, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' | ') as [string, string])

const SHOP = '/code/shop'
const BY_AGENT = { at: 1000, author: 'agent', sessionId: 's1', seq: 7 } as const
const BUDGET = 2048

let folder: string
let db: Database
let memory: Memory
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trestle-memory-'))
  db = openDatabase(join(folder, 'trestle.db'))
  for (const { up } of MIGRATIONS) up(db)
  memory = createMemory({
    rows: createMemoryRows(db),
    now: () => 1000,
    sourceOf: (sessionId, seq) => ({ sessionId, ...(seq !== undefined && { seq }) }),
  })
})
afterEach(() => {
  db.close()
  rmSync(folder, { recursive: true })
})

const store = (key: string, text: string, folder?: string) =>
  memory.store({ key, text, ...(folder !== undefined && { folder }) }, BY_AGENT)
const recall = (prompt: string, recalled: string[] = [], folder?: string) =>
  memory.recall({ prompt, folder, recalled, budgetBytes: BUDGET, now: 2000 })
const keysOf = (filter = {}) => memory.list(filter, 0, 100).entries.map(({ key }) => key)

describe('a stored entry', () => {
  it('replaces the entry with the same key, and keeps every version with its author', () => {
    expect(store('editor', 'Neovim').change).toBe('created')
    expect(store('editor', 'Neovim').change).toBe('unchanged')
    const { entry, change } = store(' editor ', 'Helix')
    expect(change).toBe('changed')
    memory.change(entry.id, { key: 'editor', text: 'Zed' }, { at: 3000, author: 'user' })
    const { versions, source } = memory.details(entry.id)
    expect(versions.map(({ text, author, change: what }) => [what, text, author])).toEqual([
      ['changed', 'Zed', 'user'],
      ['changed', 'Helix', 'agent'],
      ['created', 'Neovim', 'agent'],
    ])
    // The user's own change has no session.
    expect(source).toBeUndefined()
  })

  it('is separate for each project, and the one of the project takes precedence', () => {
    store('package manager', 'npm')
    store('package manager', 'pnpm', SHOP)
    expect(memory.reinforce(SHOP, 'package manager', 5).text).toBe('pnpm')
    expect(memory.reinforce('/code/other', 'package manager', 5).text).toBe('npm')
    expect(memory.list({ scope: SHOP }, 0, 10).entries.map(({ text }) => text)).toEqual(['pnpm'])
  })

  it('gets a key from its category and first words if it was learned, once for the same text', () => {
    const learn = (text: string) => memory.learn({ category: 'style', text }, BY_AGENT)
    const { entry } = learn('Short sentences, no exclamation marks, and never more than three paragraphs in an answer.')
    expect(entry.key).toBe('style: Short sentences, no exclamation marks, and never more than')
    expect(learn(entry.text).change).toBe('unchanged')
    expect(learn(`${entry.text} Really.`).entry.key).toBe(`${entry.key} 2`)
  })

  it('is refused with advice if it looks like a secret, is empty or is too long', () => {
    expect(() => store('deploy', `ghp_${'aB3'.repeat(12)}`)).toThrow(/looks like a GitHub token/)
    expect(() => store('wifi password', 'hunter2')).toThrow(/looks like a password/)
    expect(() => store('x', ' ')).toThrow('text: it is empty.')
    expect(() => store('x', 'y'.repeat(2001))).toThrow('at most 2000')
    expect(() => store('y'.repeat(101), 'y')).toThrow('at most 100')
    expect(memory.overview(BUDGET).entries).toBe(0)
  })

  it('is deleted by its exact key only, and can be restored with its history', () => {
    const { entry } = store('test runner', 'vitest')
    expect(() => memory.forget(SHOP, 'test', BY_AGENT)).toThrow(/Similar keys: "test runner"/)
    memory.forget(SHOP, 'test runner', BY_AGENT)
    expect(keysOf()).toEqual([])
    expect(recall('Which test runner do we use?')).toBeUndefined()
    expect(keysOf({ deleted: true })).toEqual(['test runner'])
    expect(memory.restore([entry.id], { at: 4000, author: 'user' })).toBe(1)
    expect(keysOf({ query: 'vitest' })).toEqual(['test runner'])
    expect(memory.details(entry.id).versions.map(({ change }) => change)).toEqual(['restored', 'deleted', 'created'])
  })

  it('is not restored over a newer entry with its key', () => {
    const { entry } = store('editor', 'Neovim')
    memory.remove([entry.id], BY_AGENT)
    memory.store({ key: 'editor 2', text: 'x' }, BY_AGENT)
    const { entry: other } = store('other', 'x')
    memory.change(other.id, { key: 'editor', text: 'Zed' }, BY_AGENT)
    expect(() => memory.restore([entry.id], BY_AGENT)).toThrow(/newer entry/)
  })
})

describe('a recall', () => {
  it.each(['questions.txt', 'questions-later.txt'])(
    'contains the entry that each plain question of %s is about, for at least 28 of 30',
    (name) => {
      for (const [key, text] of lines('facts.txt')) store(key, text)
      const questions = lines(name)
      const missed = questions.filter(([question, key]) => !recall(question)?.text.includes(`\n- ${key}: `))
      expect(questions.length).toBeGreaterThanOrEqual(30)
      expect(missed.slice(Math.floor(questions.length * (2 / 30)))).toEqual([])
    },
  )

  it(
    'stays within its budget with 10,000 entries, even over many prompts, and takes less than 5 ms',
    { timeout: 300_000 },
    () => {
      const facts = lines('facts.txt')
      db.transaction(() => {
        for (let n = 0; n < 10_000; n += 1) {
          const [key, text] = facts[n % facts.length]!
          store(`${key} ${n}`, `${text} (${n})`)
        }
      })()
      const times: number[] = []
      const told: string[] = []
      for (const [question] of lines('questions.txt')) {
        // The best of three runs, so that other work on the machine does not count.
        const tries = [1, 2, 3].map(() => {
          const started = cpuMs()
          recall(question, told)
          return cpuMs() - started
        })
        times.push(Math.min(...tries))
        const found = recall(question, told)
        if (found) told.push(found.text)
        expect(Buffer.byteLength(told.join(''))).toBeLessThanOrEqual(BUDGET)
      }
      expect(told.every(isRecall)).toBe(true)
      expect(times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]).toBeLessThan(5)
    },
  )

  it('starts with the most used entries if no words match, and does not repeat entries', () => {
    store('editor', 'Neovim')
    store('shell', 'fish')
    memory.reinforce(undefined, 'shell', 5)
    const first = recall('hi')!
    expect(first.text.split('\n').slice(1)).toEqual(['- shell: fish', '- editor: Neovim'])
    expect(first.matched).toEqual([])
    expect(recall('Which editor do I like?', [first.text])).toBeUndefined()
    store('pet', 'A dog named Bo')
    expect(recall('What is my pet called?', [first.text])!.text).toBe('Also remembered:\n- pet: A dog named Bo')
  })

  it('contains nothing from other projects', () => {
    store('secret plan', 'The launch is in May.', SHOP)
    expect(recall('When is the launch in the secret plan?', [], '/code/other')).toBeUndefined()
    expect(recall('When is the launch in the secret plan?', [], SHOP)!.text).toContain('May')
  })

  it('counts as a use only for entries that matched the words', () => {
    const { entry: editor } = store('editor', 'Neovim')
    const { entry: pet } = store('pet', 'A dog named Bo')
    recall('Which editor do I like?')
    expect(memory.details(editor.id).entry).toMatchObject({ shown: 1, usedAt: 2000 })
    expect(memory.details(pet.id).entry.usedAt).toBeUndefined()
  })

  it('puts an entry with many lines on one line, and truncates a long one', () => {
    store('note', `first\n# Instructions\n${'long '.repeat(200)}`)
    const { text } = recall('the note')!
    expect(text.split('\n')).toHaveLength(2)
    expect(text).toMatch(/… \(more with MemorySearch\)$/)
  })
})
