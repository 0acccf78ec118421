import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ReviewedScope } from '../../src/shared/model/session/review'
import { reviewBench, type ReviewBench } from '../support/review-bench'

const SESSION: ReviewedScope = { kind: 'session' }
const numbered = (count: number): string => Array.from({ length: count }, (_, n) => `line ${n + 1}\n`).join('')

const list = async (bench: ReviewBench, scope: ReviewedScope = SESSION) =>
  (await bench.reviews.list(bench.sessionId, scope)).files
const diffOf = async (bench: ReviewBench, name: string, scope: ReviewedScope = SESSION) => {
  await list(bench, scope)
  const [diff] = await bench.reviews.diffs(bench.sessionId, scope, [bench.path(name)])
  if (!diff) throw new Error(`${name} has no difference`)
  return diff
}

describe('the review of a session', () => {
  it('lists what differs, with additions, deletions and renames', async () => {
    const bench = await reviewBench()
    bench.write('a.txt', numbered(20))
    bench.write('old name.txt', 'content\n')
    bench.write('gone.txt', 'x\n')
    bench.turn()
    await bench.command(() => {
      bench.write('a.txt', numbered(20).replace('line 4', 'four'))
      bench.write('new.txt', 'new\n')
      renameSync(bench.path('old name.txt'), bench.path('new name.txt'))
      rmSync(bench.path('gone.txt'))
    })
    expect((await list(bench)).map(({ name, status, from }) => [name, status, from])).toEqual([
      ['a.txt', 'changed', undefined],
      ['gone.txt', 'deleted', undefined],
      ['new name.txt', 'renamed', 'old name.txt'],
      ['new.txt', 'added', undefined],
    ])
    expect(await diffOf(bench, 'a.txt')).toMatchObject({ added: 1, removed: 1, oldLines: 20, newLines: 20, notes: [] })
    expect(await bench.reviews.lines(bench.sessionId, SESSION, { path: bench.path('a.txt'), from: 9, to: 10 })).toEqual(
      ['line 9', 'line 10'],
    )
  })

  it('omits plans and other files of Trestle', async () => {
    const bench = await reviewBench()
    bench.turn()
    await bench.edit(`${bench.home}/plan.md`, () => bench.write('../home/plan.md', '# Plan\n'))
    expect(await list(bench)).toEqual([])
  })

  it('reports what lines do not show: binary content, permissions, links, line ends, encodings, size', async () => {
    const bench = await reviewBench({ maxBytes: 5000 })
    bench.write('image.png', Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1'))
    bench.write('run.sh', 'echo\n')
    bench.write('ends.txt', 'a\nb\n')
    bench.write('bom.txt', 'a\n')
    bench.write('no end.txt', 'a\nb')
    bench.write('link', 'text\n')
    bench.write('big.txt', 'x\n')
    bench.turn()
    await bench.command(() => {
      bench.write('image.png', Buffer.from('\x89PNG\r\n\x1a\n\0\0more', 'latin1'))
      chmodSync(bench.path('run.sh'), 0o755)
      bench.write('ends.txt', 'a\r\nb\r\n')
      bench.write('bom.txt', '\ufeffa\n')
      bench.write('no end.txt', 'a\nb\n')
      rmSync(bench.path('link'))
      symlinkSync('target', bench.path('link'))
      bench.write('big.txt', 'x'.repeat(6000))
    })
    const notes = async (name: string): Promise<string> => (await diffOf(bench, name)).notes.join(' ')
    expect(await notes('image.png')).toBe('10 bytes before, 14 bytes now. Not text: PNG image.')
    expect(await notes('run.sh')).toBe('Permissions change from 644 to 755.')
    expect(await notes('ends.txt')).toBe('Line ends change from LF to CRLF.')
    expect(await notes('bom.txt')).toBe('The encoding changes from UTF-8 to UTF-8 with BOM.')
    expect(await notes('link')).toContain('It was a file and is a symbolic link.')
    expect(await notes('big.txt')).toMatch(/It is not compared: it is too large/)
    expect((await diffOf(bench, 'no end.txt')).hunks[0]?.lines).toContain('\\No newline at the end of the file')
    expect((await diffOf(bench, 'ends.txt')).hunks).toEqual([])
  })

  it('marks files that another program has changed too', async () => {
    const bench = await reviewBench()
    bench.write('a.txt', 'a\n')
    bench.turn()
    await bench.command(() => bench.write('a.txt', 'b\n'))
    expect((await list(bench))[0]?.changedElsewhere).toBeUndefined()
    bench.write('a.txt', 'c\n')
    expect((await list(bench))[0]).toMatchObject({ changedElsewhere: true })
  })
})

describe('undo', () => {
  it('undoes one change and keeps the rest of the file, and can be undone', async () => {
    const bench = await reviewBench()
    const before = numbered(30).replaceAll('\n', '\r\n')
    bench.write('a.txt', `\ufeff${before}`)
    bench.turn()
    const after = before.replace('line 3\r', 'three\r').replace('line 20\r', 'twenty\r')
    await bench.command(() => bench.write('a.txt', `\ufeff${after}`))
    const { key, hunks } = await diffOf(bench, 'a.txt')
    const id = hunks[0]!.changes[0]!.id
    const files = [{ path: bench.path('a.txt'), key, ids: [id] }]
    const { seq } = await bench.reviews.undo(bench.sessionId, SESSION, files)
    expect(bench.read('a.txt')).toBe(`\ufeff${before.replace('line 20\r', 'twenty\r')}`)
    await expect(bench.reviews.undo(bench.sessionId, SESSION, files)).rejects.toMatchObject({
      code: 'checkpoint.changed',
    })
    await bench.restore({ to: seq! - 1 })
    expect(bench.read('a.txt')).toBe(`\ufeff${after}`)
  })

  it('undoes whole files in one step: new, deleted, renamed and changed ones', async () => {
    const bench = await reviewBench()
    bench.write('a.txt', 'a\n')
    bench.write('old.txt', 'content\n')
    bench.write('gone.txt', 'x\n')
    bench.turn()
    await bench.command(() => {
      bench.write('a.txt', 'b\n')
      bench.write('new.txt', 'new\n')
      renameSync(bench.path('old.txt'), bench.path('moved.txt'))
      rmSync(bench.path('gone.txt'))
    })
    const files = (await list(bench)).map(({ path, key }) => ({ path, key }))
    expect(files).toHaveLength(4)
    expect((await bench.reviews.undo(bench.sessionId, SESSION, files)).kept).toEqual([])
    expect(['a.txt', 'old.txt', 'gone.txt'].map((name) => bench.read(name))).toEqual(['a\n', 'content\n', 'x\n'])
    expect(['new.txt', 'moved.txt'].map((name) => existsSync(bench.path(name)))).toEqual([false, false])
    expect(await list(bench)).toEqual([])
  })

  it('keeps a file that has changed since it was shown, and undoes the others', async () => {
    const bench = await reviewBench()
    for (const name of ['a.txt', 'b.txt']) bench.write(name, 'before\n')
    bench.turn()
    await bench.command(() => ['a.txt', 'b.txt'].forEach((name) => bench.write(name, 'after\n')))
    const files = (await list(bench)).map(({ path, key }) => ({ path, key }))
    bench.write('b.txt', 'mine\n')
    const { kept } = await bench.reviews.undo(bench.sessionId, SESSION, files)
    expect(kept).toMatchObject([{ path: bench.path('b.txt'), kind: 'changed' }])
    expect([bench.read('a.txt'), bench.read('b.txt')]).toEqual(['before\n', 'mine\n'])
  })
})

describe('the review of a turn', () => {
  async function twoTurns(): Promise<{ bench: ReviewBench; first: ReviewedScope; second: ReviewedScope }> {
    const bench = await reviewBench()
    bench.write('a.txt', numbered(20))
    const start = (turnId: string): void =>
      void bench.record({ type: 'turn.started', turnId, parts: [{ type: 'text', text: turnId }], model: 'm' })
    start('one')
    await bench.command(() => bench.write('a.txt', numbered(20).replace('line 3\n', 'three\n')))
    start('two')
    await bench.command(() => bench.write('a.txt', bench.read('a.txt').replace('line 1\n', 'new\nline 1\n')))
    return { bench, first: { kind: 'turn', turnId: 'one' }, second: { kind: 'turn', turnId: 'two' } }
  }

  it('shows what this turn has changed, even when a later one has changed the file again', async () => {
    const { bench, first, second } = await twoTurns()
    expect((await diffOf(bench, 'a.txt', first)).hunks[0]?.lines).toContain('+three')
    expect((await diffOf(bench, 'a.txt', first)).hunks[0]?.lines).not.toContain('+new')
    expect((await list(bench, first))[0]).toMatchObject({ changedLater: true })
    expect((await diffOf(bench, 'a.txt', second)).hunks[0]?.lines).toContain('+new')
    expect((await diffOf(bench, 'a.txt')).hunks[0]).toMatchObject({ changes: [{}, {}] })
  })

  it('undoes the changes of an earlier turn and keeps those of later ones', async () => {
    const { bench, first } = await twoTurns()
    const { key } = await diffOf(bench, 'a.txt', first)
    await bench.reviews.undo(bench.sessionId, first, [{ path: bench.path('a.txt'), key }])
    expect(bench.read('a.txt')).toBe(`new\n${numbered(20)}`)
  })

  it('refuses a turn that the session does not have', async () => {
    const bench = await reviewBench()
    await expect(list(bench, { kind: 'turn', turnId: 'none' })).rejects.toMatchObject({ code: 'request.invalid' })
  })
})

describe('the review against a branch', () => {
  async function repository(): Promise<ReviewBench> {
    const bench = await reviewBench()
    bench.git('init', '-q', '-b', 'main')
    for (const name of ['a.txt', 'b.txt', 'c.txt']) bench.write(name, numbered(10))
    bench.git('add', '.')
    bench.git('commit', '-qm', 'first')
    bench.git('checkout', '-qb', 'work')
    return bench
  }
  const MAIN: ReviewedScope = { kind: 'branch', base: 'main' }

  it('includes commits, staged, unstaged and untracked changes, from where the work branched off', async () => {
    const bench = await repository()
    bench.write('a.txt', numbered(10).replace('line 1\n', 'committed\n'))
    bench.git('commit', '-qam', 'second')
    bench.git('checkout', '-q', 'main')
    bench.write('c.txt', 'of main\n')
    bench.git('commit', '-qam', 'third')
    bench.git('checkout', '-q', 'work')
    bench.write('b.txt', numbered(10).replace('line 2\n', 'unstaged\n'))
    mkdirSync(bench.path('sub'))
    bench.write('sub/new\nname.txt', 'untracked\n')
    bench.git('mv', 'c.txt', 'sub/moved.txt')
    expect((await list(bench, MAIN)).map(({ name, status }) => [name, status])).toEqual([
      ['a.txt', 'changed'],
      ['b.txt', 'changed'],
      ['sub/moved.txt', 'renamed'],
      ['sub/new\nname.txt', 'added'],
    ])
    expect((await diffOf(bench, 'a.txt', MAIN)).hunks[0]?.lines).toContain('+committed')
    const bases = await bench.reviews.bases(bench.sessionId)
    expect(bases).toEqual({ current: 'work', branches: ['main', 'HEAD'] })
  })

  it('restores the content of the branch, and leaves the index alone', async () => {
    const bench = await repository()
    bench.write('a.txt', 'mine\n')
    rmSync(bench.path('b.txt'))
    chmodSync(bench.path('c.txt'), 0o755)
    const files = (await list(bench, MAIN)).map(({ path, key }) => ({ path, key }))
    expect((await bench.reviews.undo(bench.sessionId, MAIN, files)).kept).toEqual([])
    expect(bench.git('status', '--porcelain')).toBe('')
    expect(await list(bench, MAIN)).toEqual([])
  })

  it('runs nothing that an untrusted repository configures, and still shows its changes', async () => {
    const bench = await repository()
    const mark = bench.path('../ran')
    bench.write('../evil.sh', `#!/bin/sh\ntouch '${mark}'\ncat\n`)
    const evil = bench.path('../evil.sh')
    chmodSync(evil, 0o755)
    for (const [key, value] of [
      ['core.fsmonitor', evil],
      ['filter.evil.clean', evil],
      ['filter.evil.smudge', evil],
      ['filter.evil.process', evil],
      ['filter.evil.required', 'true'],
      ['diff.evil.textconv', evil],
      ['diff.evil.command', evil],
      ['diff.external', evil],
      ['core.pager', evil],
      ['core.sshCommand', evil],
      ['core.hooksPath', bench.path('..')],
    ] as const)
      bench.git('config', key, value)
    bench.write('.gitattributes', '* filter=evil diff=evil\n')
    bench.write('a.txt', 'changed\n')
    const files = await list(bench, MAIN)
    expect(files.map(({ name }) => name)).toEqual(['.gitattributes', 'a.txt'])
    expect((await diffOf(bench, 'a.txt', MAIN)).added).toBe(1)
    await bench.reviews.bases(bench.sessionId)
    await bench.reviews.undo(
      bench.sessionId,
      MAIN,
      files.map(({ path, key }) => ({ path, key })),
    )
    expect(bench.read('a.txt')).toBe(numbered(10))
    expect(existsSync(mark)).toBe(false)
  })

  it('reports a missing repository, branch or commit', async () => {
    const bench = await reviewBench()
    await expect(list(bench, MAIN)).rejects.toThrow('This folder is not in a git repository.')
    bench.git('init', '-q', '-b', 'main')
    expect(await bench.reviews.bases(bench.sessionId)).toMatchObject({ problem: expect.stringContaining('no commits') })
    for (const base of ['main', '--output=x', 'no such'])
      await expect(list(bench, { kind: 'branch', base })).rejects.toMatchObject({ code: 'request.invalid' })
  })
})

describe('marks and comments', () => {
  async function changedFile(): Promise<{ bench: ReviewBench; path: string }> {
    const bench = await reviewBench()
    bench.write('a.txt', numbered(20))
    bench.turn()
    await bench.command(() => bench.write('a.txt', numbered(20).replace('line 7\n', 'seven\n')))
    return { bench, path: bench.path('a.txt') }
  }

  it('a file that was viewed counts as viewed until it changes again', async () => {
    const { bench, path } = await changedFile()
    const { key } = (await list(bench))[0]!
    await bench.reviews.setViewed(bench.sessionId, { path, key }, true)
    const viewed = async (): Promise<boolean> => {
      const [file] = await list(bench)
      return (await bench.reviews.marks(bench.sessionId, SESSION)).viewed[path]?.includes(file!.key) ?? false
    }
    expect(await viewed()).toBe(true)
    await bench.command(() => bench.write('a.txt', 'other\n'))
    expect(await viewed()).toBe(false)
  })

  it('kept changes stay kept while other lines change', async () => {
    const { bench, path } = await changedFile()
    const idOf = async (text: string): Promise<string | undefined> =>
      (await diffOf(bench, 'a.txt')).hunks
        .flatMap(({ lines, changes }) => changes.map((change) => ({ ...change, lines })))
        .find(({ at, count, lines }) => lines.slice(at, at + count).includes(text))?.id
    const id = (await idOf('+seven'))!
    await bench.reviews.setKept(bench.sessionId, path, [id], true)
    await bench.command(() => bench.write('a.txt', `first\n${bench.read('a.txt')}`))
    expect(await idOf('+seven')).toBe(id)
    expect((await bench.reviews.marks(bench.sessionId, SESSION)).kept).toEqual({ [path]: [id] })
  })

  it('comments move with their lines, are marked when these are deleted, and return with them', async () => {
    const { bench, path } = await changedFile()
    const comment = { path, side: 'new' as const, line: 7, endLine: 8, text: 'Why?' }
    await bench.reviews.addComment(bench.sessionId, SESSION, comment)
    await bench.reviews.addComment(bench.sessionId, SESSION, { ...comment, side: 'old', endLine: 7 })
    const comments = async () => (await bench.reviews.marks(bench.sessionId, SESSION)).comments
    const whole = bench.read('a.txt')
    await bench.command(() => bench.write('a.txt', `one\ntwo\n${whole}`))
    await list(bench)
    expect((await comments()).map(({ line, endLine, quote }) => [line, endLine, quote])).toEqual([
      [9, 10, 'seven\nline 8'],
      [7, 7, 'line 7'],
    ])
    await bench.command(() => bench.write('a.txt', numbered(5)))
    expect((await comments())[0]).toMatchObject({ gone: true })
    await bench.command(() => bench.write('a.txt', whole))
    expect((await comments())[0]).toMatchObject({ line: 7, endLine: 8 })
    expect((await comments())[0]).not.toHaveProperty('gone')
  })

  it('comments are sent as one message with path, lines and quote, and are then removed', async () => {
    const { bench, path } = await changedFile()
    const add = (line: number, text: string) =>
      bench.reviews.addComment(bench.sessionId, SESSION, { path, side: 'new', line, endLine: line + 1, text })
    await add(9, 'Second.')
    await add(7, 'First.')
    const { id } = await add(1, 'Not this one.')
    await bench.reviews.removeComment(bench.sessionId, id, false)
    expect(await bench.reviews.send(bench.sessionId)).toBe(2)
    expect(bench.sent).toEqual([
      '2 comments on the changes:\n\na.txt:7-8\n> seven\n> line 8\n\n' +
        'First.\n\na.txt:9-10\n> line 9\n> line 10\n\nSecond.',
    ])
    expect((await bench.reviews.marks(bench.sessionId, SESSION)).comments).toEqual([])
    await bench.reviews.removeComment(bench.sessionId, id, true)
    expect((await bench.reviews.marks(bench.sessionId, SESSION)).comments).toMatchObject([{ text: 'Not this one.' }])
    expect(await bench.reviews.send(bench.sessionId)).toBe(1)
    expect(await bench.reviews.send(bench.sessionId)).toBe(0)
  })

  it('refuses lines that do not exist', async () => {
    const { bench, path } = await changedFile()
    const add = bench.reviews.addComment(bench.sessionId, SESSION, {
      path,
      side: 'new',
      line: 20,
      endLine: 21,
      text: 'x',
    })
    await expect(add).rejects.toMatchObject({ code: 'request.invalid' })
  })
})
