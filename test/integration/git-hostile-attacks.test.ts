import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openToRead } from '../../src/main/engine/git/repository/open-to-read'
import { RUNS_ALL } from '../support/sampled'
import { createGitLab, labEnvironment, type GitLab } from '../support/git-lab'

let lab: GitLab
let marker: string
let evil: string
beforeEach(() => {
  lab = createGitLab()
  marker = join(lab.root, 'ran')
  evil = join(lab.root, 'evil.sh')
  writeFileSync(evil, `#!/bin/sh\necho "$0 $*" >> '${marker}'\ncat\n`)
  chmodSync(evil, 0o755)
})
afterEach(() => lab.remove())

const ran = (): string => (existsSync(marker) ? readFileSync(marker, 'utf8') : '')

/** All actions of a pane and a review, ignoring failures. */
async function everything(repo: string): Promise<void> {
  const { actions: git } = lab
  const calls = [
    () => git.summary(repo),
    () => git.status(repo),
    () => git.diff(repo, { path: 'a.txt', side: 'unstaged' }),
    () => git.diff(repo, { path: 'sub', side: 'unstaged' }),
    () => git.stage(repo, ['a.txt']),
    () => git.stage(repo, ['sub']),
    () => git.stage(repo, ['inner/']),
    () => git.discard(repo, ['sub']),
    () => git.markResolved(repo, ['sub']),
    () => git.stage(repo, 'all'),
    () => git.unstage(repo, 'all'),
    () => git.discard(repo, ['a.txt']),
    () => git.saveStash(repo, { message: '', untracked: true }),
    () => git.commit(repo, { message: 'm', amend: false }),
    () => git.branches(repo),
    () => git.createBranch(repo, { name: 'x', checkout: true }),
    () => git.switch(repo, 'refs/heads/main'),
    () => git.fetch(repo, undefined),
    () => git.pull(repo, 'rebase'),
    () => git.push(repo, {}),
    () => git.log(repo, { all: true, skip: 0, limit: 9 }),
    () => git.blame(repo, 'a.txt'),
    () => git.abortOperation(repo),
  ]
  for (const call of calls) await call().catch(() => undefined)
  const read = async (): Promise<void> => {
    const place = { home: lab.home, env: async () => labEnvironment(lab.root) }
    const repository = await openToRead(place, repo)
    await repository.read(['diff', '--raw', '-z', '-M', '--no-ext-diff', '--ignore-submodules=dirty', 'HEAD', '--'])
    await repository.read(['cat-file', '--batch', '--filters'], { input: 'HEAD:a.txt a.txt\n' })
  }
  await read().catch(() => undefined)
}

const config = (repo: string): string => join(repo, '.git/config')
const append = (file: string, text: string | Buffer): void =>
  writeFileSync(file, Buffer.concat([existsSync(file) ? readFileSync(file) : Buffer.alloc(0), Buffer.from(text)]))
const attributes = (repo: string, text = '* filter=evil diff=evil merge=evil\n'): void => {
  mkdirSync(join(repo, '.git/info'), { recursive: true })
  writeFileSync(join(repo, '.git/info/attributes'), text)
}
const filter = (): string => `\tclean = ${evil} clean\n\tsmudge = ${evil} smudge\n\trequired = true\n`
const hook = (file: string): void => {
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, `#!/bin/sh\necho hook >> '${marker}'\n`)
  chmodSync(file, 0o755)
}

/** Each attack makes a plain repository hostile in its own way. */
const ATTACKS: Record<string, (repo: string) => void> = {
  'a filter in upper case': (repo) => (append(config(repo), `[FILTER "evil"]\n${filter()}`), attributes(repo)),
  'a filter in the old form': (repo) => (append(config(repo), `[filter.evil]\n${filter()}`), attributes(repo)),
  'a filter behind a byte order mark': (repo) => {
    const before = readFileSync(config(repo))
    writeFileSync(config(repo), Buffer.concat([Buffer.from('\ufeff[filter "evil"]\n'), Buffer.from(filter()), before]))
    attributes(repo)
  },
  'a filter with line ends of Windows': (repo) => {
    append(config(repo), `[filter "evil"]\n${filter()}`.replaceAll('\n', '\r\n'))
    attributes(repo)
  },
  'a setting on the line of its section': (repo) => append(config(repo), `[core] fsmonitor = ${evil}\n`),
  'a section and a setting after a comment mark in a name': (repo) => {
    append(config(repo), `[filter "e#v;il"]\n${filter()}`)
    attributes(repo, '* filter=e#v;il\n')
  },
  'a value that continues on the next line': (repo) => append(config(repo), `[core]\n\tfsmonitor = \\\n${evil}\n`),
  'a filter with an empty name': (repo) => (
    append(config(repo), `[filter ""]\n${filter()}`),
    attributes(repo, '* filter=\n')
  ),
  'a filter whose name is a setting': (repo) => {
    append(config(repo), `[filter "a.clean=x.process"]\n${filter()}`)
    attributes(repo, '* filter=a.clean=x.process\n')
  },
  'a filter without an equals sign, and one that follows': (repo) => {
    append(config(repo), `[filter "evil"]\n\tprocess\n${filter()}`)
    attributes(repo)
  },
  'settings of the working tree': (repo) => {
    append(config(repo), '[extensions]\n\tworktreeConfig = true\n')
    writeFileSync(join(repo, '.git/config.worktree'), `[filter "evil"]\n${filter()}`)
    attributes(repo)
  },
  'settings behind a link': (repo) => {
    writeFileSync(join(lab.root, 'elsewhere'), `[filter "evil"]\n${filter()}`)
    append(join(lab.root, 'elsewhere'), readFileSync(config(repo)))
    rmSync(config(repo))
    symlinkSync(join(lab.root, 'elsewhere'), config(repo))
    attributes(repo)
  },
  'included settings in the home folder': (repo) => {
    writeFileSync(join(lab.root, 'user/evil'), `[filter "evil"]\n${filter()}`)
    append(config(repo), '[include]\n\tpath = ~/evil\n')
    attributes(repo)
  },
  'included settings with an escaped path': (repo) => {
    writeFileSync(join(repo, '.git/e\\v"il'), `[filter "evil"]\n${filter()}`)
    append(config(repo), '[include]\n\tpath = "e\\\\v\\"il"\n')
    attributes(repo)
  },
  'settings included for an address': (repo) => {
    writeFileSync(join(repo, '.git/evil'), `[filter "evil"]\n${filter()}`)
    append(
      config(repo),
      '[remote "o"]\n\turl = https://localhost:1/x\n[includeIf "hasconfig:remote.*.url:https://**"]\n\tpath = evil\n',
    )
    attributes(repo)
  },
  'hooks of a folder behind a link': (repo) => {
    rmSync(join(repo, '.git/hooks'), { recursive: true, force: true })
    for (const name of ['post-checkout', 'pre-commit', 'reference-transaction', 'post-index-change'])
      hook(join(repo, 'scripts', name))
    symlinkSync('../scripts', join(repo, '.git/hooks'))
  },
  'hooks in the home folder': (repo) => {
    for (const name of ['post-checkout', 'pre-commit']) hook(join(lab.root, 'user/hooks', name))
    append(config(repo), '[core]\n\thooksPath = ~/hooks\n')
  },
  'hooks named with a comment behind': (repo) => {
    for (const name of ['post-checkout', 'pre-commit']) hook(join(repo, 'h', name))
    append(config(repo), '[core]\n\thooksPath = h ; nothing\n')
  },
  'hooks of an unknown place': (repo) => append(config(repo), '[core]\n\thooksPath = %(prefix)/x\n'),
  'a link as .git': (repo) => {
    append(config(repo), `[filter "evil"]\n${filter()}`)
    attributes(repo)
    renameSync(join(repo, '.git'), join(lab.root, 'store'))
    symlinkSync('../store', join(repo, '.git'))
  },
  'a .git file that leads to a link': (repo) => {
    append(config(repo), `[filter "evil"]\n${filter()}`)
    attributes(repo)
    renameSync(join(repo, '.git'), join(lab.root, 'store'))
    symlinkSync('store', join(lab.root, 'link'))
    writeFileSync(join(repo, '.git'), 'gitdir: ../link\n')
  },
  'a common folder elsewhere': (repo) => {
    append(config(repo), `[filter "evil"]\n${filter()}`)
    cpSync(join(repo, '.git'), join(lab.root, 'common'), { recursive: true })
    rmSync(config(repo))
    writeFileSync(join(repo, '.git/commondir'), '../../common\n')
    mkdirSync(join(lab.root, 'common/info'), { recursive: true })
    writeFileSync(join(lab.root, 'common/info/attributes'), '* filter=evil\n')
  },
  'a submodule that is entered, with a filter of its own': (repo) => armedSubmodule(repo, 'ignore = none'),
  'a submodule that is entered, whose list is only in the index': (repo) => {
    armedSubmodule(repo, 'ignore = none')
    rmSync(join(repo, '.gitmodules'))
  },
  'a submodule without a list': (repo) => {
    armedSubmodule(repo, 'ignore = none')
    lab.git(repo, 'rm', '-qf', '--cached', '.gitmodules')
    rmSync(join(repo, '.gitmodules'))
    lab.git(repo, 'commit', '-qm', 'no list')
  },
  'a submodule with = and a point in its name': (repo) => armedSubmodule(repo, 'ignore = none', 'a=b.c'),
  'a submodule whose name is not UTF-8': (repo) => {
    armedSubmodule(repo, 'ignore = none')
    const list = readFileSync(join(repo, '.gitmodules'), 'latin1').replace('"sub"', '"s\u00ffb"')
    writeFileSync(join(repo, '.gitmodules'), Buffer.from(list, 'latin1'))
  },
  'a submodule that its own settings say to enter': (repo) => {
    armedSubmodule(repo, 'ignore = dirty')
    append(config(repo), '[submodule "sub"]\n\tignore = none\n')
  },
  'an armed repository among the files': (repo) => {
    const inner = lab.repository('inner-armed')
    append(config(inner), `[filter "evil"]\n${filter()}[core]\n\tfsmonitor = ${evil}\n`)
    attributes(inner)
    hook(join(inner, '.git/hooks/post-checkout'))
    renameSync(inner, join(repo, 'inner'))
    writeFileSync(join(repo, 'inner/a.txt'), 'two\n')
  },
  'a remote that is a repository among the files, with hooks': (repo) => {
    const bare = join(repo, 'docs')
    mkdirSync(bare)
    lab.git(bare, 'init', '-q', '--bare')
    hook(join(bare, 'hooks/pre-receive'))
    hook(join(bare, 'hooks/update'))
    append(config(repo), '[remote "origin"]\n\turl = docs\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n')
  },
  'a branch whose remote is a program': (repo) =>
    append(
      config(repo),
      `[protocol "ext"]\n\tallow = always\n[branch "main"]\n\tremote = ext::${evil}\n\tmerge = refs/heads/main\n`,
    ),
  'a replaced address': (repo) =>
    append(
      config(repo),
      `[remote "origin"]\n\turl = https://localhost/x\n[url "ext::${evil} "]\n` +
        '\tinsteadOf = https://localhost/\n[protocol "ext"]\n\tallow = always\n',
    ),
  'a shell alias and an external helper': (repo) =>
    append(
      config(repo),
      `[alias]\n\tstatus = !${evil}\n\tdiff = !${evil}\n[credential]\n` +
        `\thelper = !${evil}\n[gpg]\n\tprogram = ${evil}\n[commit]\n\tgpgSign = true\n`,
    ),
}

/** A submodule whose own settings run a program when git checks it for changes. */
function armedSubmodule(repo: string, setting: string, name = 'sub'): void {
  const inner = lab.repository(`inner-of-${name.length}`)
  lab.git(repo, 'submodule', '--quiet', 'add', '--name', name, inner, 'sub')
  append(join(repo, '.gitmodules'), `\t${setting}\n`)
  lab.git(repo, 'add', '-A')
  lab.git(repo, 'commit', '-qm', 'sub')
  const store = join(repo, '.git/modules', name)
  append(join(store, 'config'), `[filter "evil"]\n${filter()}[core]\n\tfsmonitor = ${evil}\n`)
  mkdirSync(join(store, 'info'), { recursive: true })
  writeFileSync(join(store, 'info/attributes'), '* filter=evil\n')
  // The same length as before, so that git has to read it.
  writeFileSync(join(repo, 'sub/a.txt'), 'two\n')
  lab.git(repo, 'config', `submodule.${name}.url`, 'https://localhost/x')
}

test.each(Object.entries(ATTACKS))('nothing runs: %s', async (_name, arm) => {
  const repo = lab.repository('r', { 'a.txt': 'one\n' })
  arm(repo)
  writeFileSync(join(repo, 'a.txt'), 'two\n')
  rmSync(marker, { force: true })
  await everything(repo)
  expect(ran()).toBe('')
})

/** Git refuses the first, and uses another folder for the second. */
const HARMLESS = ['a filter without an equals sign, and one that follows', 'hooks of an unknown place']

test('the attacks are real: git itself runs the programs of all but two of them', () => {
  const harmless: string[] = []
  // Git's own behavior changes only between Git versions, so a third of them is enough, and those that it does not run.
  const tried = Object.entries(ATTACKS).filter(
    ([name], index) => RUNS_ALL || index % 3 === 0 || HARMLESS.includes(name),
  )
  for (const [name, arm] of tried) {
    const repo = lab.repository(`r${harmless.length}-${name.length}-${name.slice(0, 12).replaceAll(' ', '-')}`)
    try {
      arm(repo)
      writeFileSync(join(repo, 'a.txt'), 'two\n')
      rmSync(marker, { force: true })
      for (const args of [
        ['status'],
        ['diff', 'HEAD'],
        ['add', '-A'],
        ['commit', '-qm', 'x'],
        ['status'],
        ['fetch'],
        ['push', 'origin', 'HEAD:refs/heads/y'],
        ['checkout', '-qb', 'x'],
      ]) {
        if (ran() !== '') break
        try {
          execFileSync('git', ['-C', repo, ...args], {
            env: labEnvironment(lab.root),
            stdio: 'ignore',
            timeout: 20_000,
          })
        } catch {
          // It fails after it has run the program.
        }
      }
      if (ran() === '') harmless.push(name)
    } finally {
      for (const left of ['store', 'link', 'common', 'elsewhere', 'inner-armed', 'inner-of-3', 'inner-of-5'])
        rmSync(join(lab.root, left), { recursive: true, force: true })
    }
  }
  expect(harmless).toEqual(HARMLESS)
})
