import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createGitLab, type GitLab } from '../../../../../test/support/git-lab'
import { gitPath } from '../run/git-path'

let lab: GitLab
beforeEach(() => {
  lab = createGitLab()
})
afterEach(() => lab.remove())

/** A path on disk, from its bytes. */
const onDisk = (folder: string, latin1: string): Buffer =>
  Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(latin1, 'latin1')])

// On other systems, names are always text.
describe.runIf(process.platform === 'linux')('names that are not text', () => {
  test.each([
    ['a file in a new folder', 'new', 'new/odd\xff.txt'],
    ['a file in a new folder with such a name', 'ne\xffw', 'ne\xffw/plain.txt'],
  ])('%s is discarded and restored', async (_, folder, file) => {
    const repo = lab.repository('r')
    mkdirSync(onDisk(repo, folder))
    writeFileSync(onDisk(repo, file), 'precious\n')
    writeFileSync(onDisk(repo, `${folder}/other.txt`), 'other\n')
    const path = gitPath(file)
    expect((await lab.actions.status(repo)).unstaged.map((change) => change.path)).toContain(path)
    const { kept } = await lab.actions.discard(repo, [path])
    expect(existsSync(onDisk(repo, file))).toBe(false)
    expect(readFileSync(onDisk(repo, `${folder}/other.txt`), 'utf8')).toBe('other\n')
    await lab.actions.restoreKept(repo, kept!)
    expect(readFileSync(onDisk(repo, file), 'utf8')).toBe('precious\n')
  })

  test('a new folder with such a name is discarded completely, and one with a similar name stays', async () => {
    const repo = lab.repository('r')
    for (const folder of ['ne\xffw', 'ne\xfew']) {
      mkdirSync(onDisk(repo, folder))
      writeFileSync(onDisk(repo, `${folder}/a.txt`), 'a\n')
    }
    await lab.actions.discard(repo, [gitPath('ne\xffw/')])
    expect(existsSync(onDisk(repo, 'ne\xffw'))).toBe(false)
    expect(existsSync(onDisk(repo, 'ne\xfew/a.txt'))).toBe(true)
  })

  test('an ignored file is not replaced by a folder of a branch', async () => {
    const repo = lab.repository('r', { '.gitignore': 'build\n' })
    lab.git(repo, 'switch', '-qc', 'other')
    mkdirSync(join(repo, 'build'))
    writeFileSync(onDisk(repo, 'build/odd\xff'), 'x\n')
    lab.git(repo, 'add', '-f', 'build')
    lab.git(repo, 'commit', '-qm', 'build')
    lab.git(repo, 'switch', '-q', 'main')
    writeFileSync(join(repo, 'build'), 'precious\n')
    await expect(lab.actions.switch(repo, 'refs/heads/other')).rejects.toMatchObject({ code: 'git.would_overwrite' })
    expect(readFileSync(join(repo, 'build'), 'utf8')).toBe('precious\n')
  })

  test('an ignored file with a similar name does not prevent checking out a branch', async () => {
    const repo = lab.repository('r', { '.gitignore': 'odd*\n' })
    lab.git(repo, 'switch', '-qc', 'other')
    writeFileSync(onDisk(repo, 'odd\xff'), 'x\n')
    lab.git(repo, 'add', '-fA')
    lab.git(repo, 'commit', '-qm', 'odd')
    lab.git(repo, 'switch', '-q', 'main')
    writeFileSync(onDisk(repo, 'odd\xfe'), 'mine\n')
    await lab.actions.switch(repo, 'refs/heads/other')
    expect(readFileSync(onDisk(repo, 'odd\xfe'), 'utf8')).toBe('mine\n')
    expect(readFileSync(onDisk(repo, 'odd\xff'), 'utf8')).toBe('x\n')
  })
})
