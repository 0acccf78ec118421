import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createGit } from '../../src/main/engine/git/create-git'
import type { GitActions } from '../../src/main/engine/git/git-actions'

/** Real git in temporary repositories, and our actions on them: a session's id is its folder. */
export interface GitLab {
  root: string
  home: string
  actions: GitActions
  /** Creates a repository with a first commit of these files, and returns its folder. */
  repository(name: string, files?: Record<string, string | Buffer>, init?: readonly string[]): string
  /** Runs git in a folder, and returns its output. */
  git(folder: string, ...args: string[]): string
  write(folder: string, files: Record<string, string | Buffer>): void
  /** Trusts everything a repository could run now, such as a remote that is a folder. */
  trust(folder: string): Promise<void>
  /** How often a change was reported. */
  changes(): number
  remove(): void
}

/** The environment of git in tests: ignores the machine's settings. */
export function labEnvironment(root: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: join(root, 'user'),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: join(root, 'user', '.gitconfig'),
    LC_ALL: 'C.UTF-8',
  }
}

export const IDENTITY = '[user]\n\tname = Ada\n\temail = ada@example.com\n'

export function createGitLab({ settings = IDENTITY }: { settings?: string } = {}): GitLab {
  const root = mkdtempSync(join(realpathSync(tmpdir()), 'trestle-git-'))
  const home = join(root, 'home')
  mkdirSync(home)
  mkdirSync(join(root, 'user'))
  writeFileSync(
    join(root, 'user', '.gitconfig'),
    `${settings}[init]\n\tdefaultBranch = main\n[protocol "file"]\n\tallow = always\n`,
  )
  const env = labEnvironment(root)
  let changes = 0
  const git = (folder: string, ...args: string[]): string =>
    execFileSync('git', ['-C', folder, ...args], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const write = (folder: string, files: Record<string, string | Buffer>): void => {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), content)
    }
  }
  const actions = createGit({
    home,
    now: () => Date.now(),
    env: async () => env,
    folderOf: (sessionId) => sessionId,
    notify: () => void (changes += 1),
    agentTrace: async () => undefined,
    draft: async () => 'Draft',
  })
  return {
    root,
    home,
    git,
    write,
    actions,
    async trust(folder) {
      await actions.trust(folder, (await actions.trustView(folder)).hash)
    },
    repository(name, files = { 'a.txt': 'one\n' }, init = []) {
      const folder = join(root, name)
      mkdirSync(folder, { recursive: true })
      git(folder, 'init', '-q', ...init)
      write(folder, files)
      if (Object.keys(files).length > 0) {
        git(folder, 'add', '-A')
        git(folder, 'commit', '-qm', 'first')
      }
      return folder
    },
    changes: () => changes,
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

/** Hashes of all contents below a folder, by path in latin1, without `.git`; for links, their targets. */
export function contentOf(folder: string): Map<string, string> {
  const found = new Map<string, string>()
  const walk = (at: Buffer, name: string): void => {
    for (const entry of readdirSync(at, { withFileTypes: true, encoding: 'buffer' })) {
      const raw = entry.name.toString('latin1')
      if (raw === '.git') continue
      const path = Buffer.concat([at, Buffer.from('/'), entry.name])
      const shown = name === '' ? raw : `${name}/${raw}`
      if (entry.isDirectory()) walk(path, shown)
      else found.set(shown, hashOf(entry.isSymbolicLink() ? readlinkSync(path, 'buffer') : readFileSync(path)))
    }
  }
  walk(Buffer.from(folder), '')
  return found
}

export function hashOf(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}
