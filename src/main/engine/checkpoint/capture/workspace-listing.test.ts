import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { openBlobStore } from './file-state'
import { listingDifference, listWorkspace, type ListingOptions } from './workspace-listing'

async function setUp(files: Record<string, string> = {}) {
  const [root, home] = [await tempFolder(), await tempFolder()]
  const write = (name: string, text: string): void => {
    mkdirSync(join(root, name, '..'), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  for (const [name, text] of Object.entries(files)) write(name, text)
  const blobs = openBlobStore(join(home, 'contents'))
  const list = (options: Partial<ListingOptions> = {}) =>
    listWorkspace({ roots: [root], except: home, blobs, maxBytes: 1_000, ...options })
  const names = async (options: Partial<ListingOptions> = {}): Promise<string[]> =>
    [...(await list(options)).files.keys()].map((path) => path.slice(root.length + 1)).toSorted()
  return { root, home, write, blobs, list, names }
}

describe('a listing', () => {
  test('has files, folders and links, but nothing ignored or sensitive, and nothing in .git', async () => {
    const { root, names } = await setUp({
      'a.txt': 'a',
      'sub/b.txt': 'b',
      '.gitignore': 'ignored\n*.log\n!kept.log\n',
      'ignored/x': 'x',
      'some.log': 'x',
      'kept.log': 'x',
      '.git/config': 'x',
      '.env': 'SECRET=1',
      '.trestle-restore-1.tmp': 'x',
    })
    symlinkSync('sub', join(root, 'link'))
    expect(await names()).toEqual(['.gitignore', 'a.txt', 'kept.log', 'link', 'sub', 'sub/b.txt'])
  })

  test('leaves out the empty folders with which sandboxes reserve names, but no other empty folder', async () => {
    const { root, names } = await setUp({ 'a.txt': 'a', '.husky/pre-commit': 'x' })
    for (const name of ['.env', '.envrc', '.vscode', '.trestle', 'empty', 'sub/.vscode'])
      mkdirSync(join(root, name), { recursive: true })
    expect(await names()).toEqual(['.husky', '.husky/pre-commit', 'a.txt', 'empty', 'sub', 'sub/.vscode'])
  })

  test('leaves out Trestle’s folder, and lists paths in several roots once', async () => {
    const { root, list, write } = await setUp({ 'a/b/c': 'x', 'home/contents': 'x' })
    write('home/x', 'x')
    const { files } = await list({ roots: [join(root, 'a/b'), root, join(root, 'a')], except: join(root, 'home') })
    expect([...files.keys()].toSorted()).toEqual(['a', 'a/b', 'a/b/c'].map((name) => join(root, name)))
  })

  test('stores what a later restore needs', async () => {
    const { root, list, blobs } = await setUp({ 'a.txt': 'before' })
    const { files, complete } = await list()
    const { state } = files.get(join(root, 'a.txt'))!
    expect(complete).toBe(true)
    expect(state.kind === 'file' && blobs.get(state.hash)?.toString()).toBe('before')
  })

  test('reports when it is incomplete', async () => {
    const { list } = await setUp({ a: 'a', b: 'b', c: 'c' })
    expect(await list({ maxEntries: 3 })).toMatchObject({ complete: true })
    expect((await list({ maxEntries: 2 })).files.size).toBe(2)
    expect(await list({ maxEntries: 2 })).toMatchObject({ complete: false })
    expect(await list({ maxMs: -1 })).toMatchObject({ complete: false })
  })
})

describe('the difference of two listings', () => {
  async function difference(files: Record<string, string>, change: (setup: Awaited<ReturnType<typeof setUp>>) => void) {
    const setup = await setUp(files)
    const before = await setup.list()
    const startedMs = Date.now()
    change(setup)
    const after = await setup.list()
    const { changes, uncovered } = listingDifference(before, after, { startedMs, maxBytes: 1_000 })
    return {
      uncovered,
      changes: changes
        .map(({ path, before: { kind }, after: now }) => `${path.slice(setup.root.length + 1)}: ${kind} ${now.kind}`)
        .toSorted(),
    }
  }

  test('has what was created, changed, deleted and moved', async () => {
    const { changes, uncovered } = await difference(
      { same: 'same', changed: 'old', gone: 'gone', moved: 'moved' },
      ({ root, write }) => {
        write('changed', 'new')
        write('made', 'made')
        rmSync(join(root, 'gone'))
        renameSync(join(root, 'moved'), join(root, 'away'))
      },
    )
    expect(changes).toEqual([
      'away: absent file',
      'changed: file file',
      'gone: file absent',
      'made: absent file',
      'moved: file absent',
    ])
    expect(uncovered).toBe(0)
  })

  test('is empty without changes, and when a file is only newly ignored', async () => {
    expect(await difference({ a: 'a' }, () => undefined)).toEqual({ changes: [], uncovered: 0 })
    expect(
      await difference({ a: 'a', '.gitignore': '# none\n' }, ({ write }) => write('.gitignore', '# none\na\n')),
    ).toEqual({ changes: ['.gitignore: file file'], uncovered: 0 })
  })

  test('has new files as not covered if a listing is incomplete, so that none is ever deleted', async () => {
    const { list, write } = await setUp({ a: 'a', b: 'b' })
    const before = await list({ maxEntries: 1 })
    const startedMs = Date.now()
    write('c', 'c')
    const { changes, uncovered } = listingDifference(before, await list(), { startedMs, maxBytes: 1_000 })
    expect({ changes, uncovered }).toEqual({ changes: [], uncovered: 2 })
  })
})
