import { describe, expect, test } from 'vitest'
import { parseStatus } from './status'

const HASH = 'a'.repeat(40)
const OTHER = 'b'.repeat(40)

function status(...records: (string | Buffer)[]) {
  return parseStatus(Buffer.concat(records.flatMap((record) => [Buffer.from(record), Buffer.from([0])])))
}

describe('the head of a status', () => {
  test('has the branch, its commit, its upstream, and how far ahead and behind it is', () => {
    expect(
      status(
        `# branch.oid ${HASH}`,
        '# branch.head fix/größe',
        '# branch.upstream origin/fix/größe',
        '# branch.ab +2 -11',
        '# stash 3',
      ),
    ).toMatchObject({
      commit: HASH,
      branch: 'fix/größe',
      upstream: 'origin/fix/größe',
      ahead: 2,
      behind: 11,
      stashes: 3,
    })
  })

  test('has no commit before the first one, and no branch when detached', () => {
    const first = status('# branch.oid (initial)', '# branch.head main')
    expect(first).not.toHaveProperty('commit')
    expect(first).toMatchObject({ branch: 'main', stashes: 0 })
    expect(status(`# branch.oid ${HASH}`, '# branch.head (detached)')).not.toHaveProperty('branch')
  })
})

describe('the files of a status', () => {
  test('a file that is staged and changed again is in both lists', () => {
    expect(status(`1 MM N... 100644 100644 100644 ${HASH} ${OTHER} a file.txt`)).toMatchObject({
      staged: [{ path: 'a file.txt', kind: 'modified' }],
      unstaged: [{ path: 'a file.txt', kind: 'modified' }],
    })
  })

  test('a rename has both names, whatever they contain', () => {
    const { staged, unstaged } = status(
      `2 R. N... 100644 100644 100644 ${HASH} ${HASH} R100 new name\nwith a line`,
      'old name',
      '? next.txt',
    )
    expect(staged).toEqual([{ path: 'new name\nwith a line', kind: 'renamed', from: 'old name' }])
    expect(unstaged).toEqual([{ path: 'next.txt', kind: 'untracked' }])
  })

  test('the old name of a staged rename is not that of its unstaged change', () => {
    const { unstaged } = status(`2 RM N... 100644 100644 100644 ${HASH} ${HASH} R100 new`, 'old')
    expect(unstaged).toEqual([{ path: 'new', kind: 'modified' }])
  })

  test('a name that is not text keeps its bytes', () => {
    const { unstaged } = status(Buffer.concat([Buffer.from('? a/'), Buffer.from([0xff, 0x20])]))
    expect(unstaged).toEqual([{ path: '\u0000612fff20', kind: 'untracked' }])
  })

  test('mode-only changes and submodules are marked', () => {
    expect(status(`1 M. N... 100644 100755 100755 ${HASH} ${HASH} run.sh`).staged).toEqual([
      { path: 'run.sh', kind: 'modified', modeOnly: true },
    ])
    expect(status(`1 M. SC.. 160000 160000 160000 ${HASH} ${OTHER} lib`).staged).toEqual([
      { path: 'lib', kind: 'modified', submodule: true },
    ])
  })

  test.each([
    ['UU', 'changed by both', true, true],
    ['AA', 'added by both', true, true],
    ['DU', 'deleted by us', false, true],
    ['UD', 'deleted by them', true, false],
    ['DD', 'deleted by both', false, false],
  ])('the conflict %s is one that was %s', (xy, what, ours, theirs) => {
    const hashes = [HASH, HASH, OTHER].join(' ')
    expect(status(`u ${xy} N... 100644 100644 100644 100644 ${hashes} a b.txt`).conflicts).toEqual([
      { path: 'a b.txt', what, ours, theirs },
    ])
  })

  test('files beyond 2,000 in a list are only counted', () => {
    const { unstaged, hidden } = status(...Array.from({ length: 2_003 }, (_, at) => `? ${at}`))
    expect({ listed: unstaged.length, hidden }).toEqual({ listed: 2_000, hidden: 3 })
  })
})
