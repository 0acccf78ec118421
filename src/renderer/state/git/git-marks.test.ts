import { describe, expect, it } from 'vitest'
import type { GitChange, GitStatus } from '../../../shared/model/project/git'
import { gitMarks } from './git-marks'

const status = (change: Partial<GitStatus>): GitStatus => ({
  top: '/p',
  stashes: 0,
  staged: [],
  unstaged: [],
  conflicts: [],
  hidden: 0,
  remotes: [],
  ...change,
})
const changed = (path: string, kind: GitChange['kind']): GitChange => ({ path, kind })

describe('the marks of git', () => {
  it('show the change of each file, and for its folders the most important change inside', () => {
    const { files, folders } = gitMarks(
      status({
        staged: [changed('src/new.ts', 'added'), changed('src/moved.ts', 'renamed')],
        unstaged: [changed('src/deep/a.ts', 'modified'), changed('notes.txt', 'untracked')],
        conflicts: [{ path: 'lib/b.ts', what: 'both modified', ours: true, theirs: true }],
      }),
    )
    expect(Object.fromEntries(files)).toEqual({
      '/p/src/new.ts': 'added',
      '/p/src/moved.ts': 'added',
      '/p/src/deep/a.ts': 'modified',
      '/p/notes.txt': 'untracked',
      '/p/lib/b.ts': 'conflict',
    })
    expect(Object.fromEntries(folders)).toEqual({
      '/p/src': 'modified',
      '/p/src/deep': 'modified',
      '/p/lib': 'conflict',
    })
  })

  it('show a file that was added and edited since as new', () => {
    const { files } = gitMarks(status({ staged: [changed('a', 'added')], unstaged: [changed('a', 'modified')] }))
    expect(files.get('/p/a')).toBe('added')
  })

  it('treat a new folder as one entry, and omit names that are not valid text', () => {
    const { files, folders } = gitMarks(
      status({ unstaged: [changed('new/', 'untracked'), changed('\0ff', 'untracked')] }),
    )
    expect([...files]).toEqual([])
    expect([...folders]).toEqual([['/p/new', 'untracked']])
  })
})
