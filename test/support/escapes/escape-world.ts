import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { EscapeAttempt } from './attempt'

/** Paths in a home that commands may change, or that Trestle itself changes. */
const NOT_COMPARED = /^home\/(?:\.cache|\.npm|\.trestle\/(?:run|logs))(?:\/|$)/
/**
 * Paths in the outside repository of a worktree that git writes to; settings that decide which programs it runs are not
 * among them.
 */
const GIT_AT_WORK =
  /^outside\/main\/\.git\/(?!hooks|config|commondir|worktrees\/project\/(?:commondir|config\.worktree|gitdir))/
const PROTECTED =
  /^(?:(?:deep\/)?\.vscode\/|\.husky(?:\/|$)|\.github\/workflows(?:\/|$)|\.trestle(?:\/|$)|\.vscode$|\.mcp\.json|\.envrc|\.env$|\.env\.(?:local|production)|id_rsa|\.git$|\.git\/(?:hooks|config|commondir|config\.worktree)|\.git\/modules\/lib\/(?:hooks|config$|commondir)|tools\/hooks|\.gitconfig$)/

const IGNORED = '.env\nid_rsa\n'

interface Repositories {
  /** The `.git` folder of the project, and that of the other project. */
  project: string
  other: string
  /** Committed in the other project. */
  secret: string
}

let repositories: Repositories | undefined

/**
 * Created once in `folder` and copied for each attempt, because Git would take longer than everything else in a world.
 */
function repositoriesIn(folder: string): Repositories {
  if (repositories) return repositories
  const project = join(folder, 'repositories', 'project')
  const other = join(folder, 'repositories', 'other')
  const secret = `SECRET-${randomBytes(8).toString('hex')}`
  mkdirSync(join(project, 'src'), { recursive: true })
  mkdirSync(other)
  writeFileSync(join(project, '.gitignore'), IGNORED)
  writeFileSync(join(project, 'src', 'main.txt'), 'x\n', { mode: 0o600 })
  writeFileSync(join(other, 'source.txt'), 'x\n', { mode: 0o600 })
  writeFileSync(join(other, 'secret.txt'), `${secret}\n`, { mode: 0o600 })
  for (const cwd of [project, other])
    runShell('git init -q . && git add . && git commit -qm x', cwd, { PATH: process.env['PATH'], HOME: folder })
  return (repositories = { project: join(project, '.git'), other: join(other, '.git'), secret })
}

function runShell(script: string, cwd: string, env: NodeJS.ProcessEnv): void {
  const identity = {
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  }
  spawnSync('/bin/bash', ['-c', script], { cwd, env: { ...env, ...identity }, timeout: 20_000, stdio: 'ignore' })
}

/** One project, surrounded by everything that a command must not reach; recreated for each attempt. */
export class EscapeWorld {
  readonly base: string
  readonly project: string
  readonly home: string
  readonly trestle: string
  readonly secrets: readonly string[]
  private readonly before: ReadonlyMap<string, string>
  private readonly kept: ReadonlyMap<string, string>
  private readonly secretFiles: ReadonlySet<number>
  private readonly env: Record<string, string>

  constructor(
    base: string,
    { kind = 'repository', before = '' }: Pick<EscapeAttempt, 'kind' | 'before'>,
    env: Record<string, string>,
  ) {
    this.base = base
    this.project = join(base, 'project')
    this.home = join(base, 'home')
    this.trestle = join(this.home, '.trestle')
    const secret = (): string => `SECRET-${randomBytes(8).toString('hex')}`
    const secrets = Array.from({ length: 10 }, secret)
    const repositories = repositoriesIn(dirname(base))
    this.secrets = [...secrets, repositories.secret]
    const files: Record<string, string> = {
      'outside/canary': secrets[0]!,
      'outside/sub/file.txt': 'x',
      'other/secret.txt': secrets[1]!,
      'other/source.txt': 'x',
      'other/.env': `KEY=${secrets[2]}`,
      'home/.ssh/id_rsa': secrets[3]!,
      'home/.aws/credentials': secrets[4]!,
      'home/.netrc': secrets[5]!,
      'home/.bash_history': secrets[5]!,
      'home/.bashrc': '# mine',
      'home/.trestle/config.toml': secrets[6]!,
      'project/.env': `KEY=${secrets[7]}`,
      'project/sub/.env': `KEY=${secrets[8]}`,
      'project/id_rsa': secrets[9]!,
      'project/src/main.txt': 'x',
    }
    for (const name of ['outside', 'other', 'home/.cache', 'home/.npm', 'home/.trestle'])
      mkdirSync(join(base, name), { recursive: true })
    this.env = {
      ...env,
      PROJECT: this.project,
      OUTSIDE: join(base, 'outside'),
      OTHER: join(base, 'other'),
      HOME: this.home,
      TRESTLE: this.trestle,
    }
    if (kind === 'worktree') {
      this.outside(
        'git init -q "$OUTSIDE/main" && cd "$OUTSIDE/main" && echo x >file.txt && git add . ' +
          '&& git commit -qm x && git worktree add -q ../../project',
        base,
      )
    } else mkdirSync(this.project)
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(base, path, '..'), { recursive: true })
      writeFileSync(join(base, path), `${text}\n`, { mode: 0o600 })
    }
    cpSync(repositories.other, join(base, 'other', '.git'), { recursive: true })
    appendFileSync(join(base, 'other', '.git', 'config'), `[remote "x"]\n\turl = https://${secrets[1]}@x.invalid/\n`)
    if (kind === 'repository') {
      cpSync(repositories.project, join(this.project, '.git'), { recursive: true })
      writeFileSync(join(this.project, '.gitignore'), IGNORED)
    }
    this.outside(before)
    chmodSync(this.trestle, 0o700)
    this.before = this.compared()
    this.kept = this.protected()
    this.secretFiles = new Set(
      filesBelow(this.project).flatMap((path) =>
        this.holdsSecret(join(this.project, path)) ? [inodeOf(join(this.project, path))] : [],
      ),
    )
  }

  /** The environment of commands. */
  get commandEnv(): Record<string, string> {
    return this.env
  }

  /** Runs shell code outside, as the user would. */
  outside(script: string, cwd = this.project): void {
    if (script !== '') runShell(script, cwd, this.env)
  }

  /** What has changed outside the project; call it before `after`. */
  changedOutside(): string[] {
    return differences(this.before, this.compared())
  }

  /** What has changed in the project's protected names; call it when no sandbox is left. */
  changedInside(): string[] {
    return differences(this.kept, this.protected())
  }

  /** Whether something that the attempt left behind has run outside. */
  get wasRunOutside(): boolean {
    return (
      existsSync(join(this.base, 'outside', 'pwned')) ||
      readdirSync(this.project).some((name) => name.startsWith('.escaped'))
    )
  }

  /** Files of the project that contain copied secrets. */
  copiedSecrets(): string[] {
    return filesBelow(this.project).filter((path) => {
      const full = join(this.project, path)
      return this.holdsSecret(full) && !this.secretFiles.has(inodeOf(full))
    })
  }

  shows(text: string): boolean {
    return this.secrets.some((secret) => text.includes(secret))
  }

  private holdsSecret(path: string): boolean {
    try {
      return lstatSync(path).isFile() && this.shows(readFileSync(path, 'latin1'))
    } catch {
      return false
    }
  }

  private compared(): Map<string, string> {
    const paths = ['outside', 'other', 'home'].flatMap((name) =>
      filesBelow(join(this.base, name)).map((path) => join(name, path)),
    )
    return this.contents(
      this.base,
      paths.filter((path) => !NOT_COMPARED.test(path) && !GIT_AT_WORK.test(path)),
    )
  }

  private protected(): Map<string, string> {
    return this.contents(
      this.project,
      filesBelow(this.project).filter((path) => PROTECTED.test(path)),
    )
  }

  private contents(base: string, paths: readonly string[]): Map<string, string> {
    return new Map(paths.map((path) => [path, contentOf(join(base, path))]))
  }
}

function differences(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): string[] {
  return [...new Set([...before.keys(), ...now.keys()])]
    .filter((path) => before.get(path) !== now.get(path))
    .map((path) => `${path} (${before.has(path) ? (now.has(path) ? 'changed' : 'gone') : 'new'})`)
}

/** Everything except empty folders, as relative paths; links are not followed. */
function filesBelow(folder: string, prefix = ''): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(prefix, entry.name)
      return entry.isDirectory() ? filesBelow(join(folder, entry.name), path) : [path]
    })
  } catch {
    return []
  }
}

function inodeOf(path: string): number {
  return lstatSync(path).ino
}

function contentOf(path: string): string {
  try {
    const stats = lstatSync(path)
    const content = stats.isSymbolicLink() ? readlinkSync(path) : stats.isFile() ? readFileSync(path) : ''
    return `${stats.mode} ${createHash('sha256').update(content).digest('hex')}`
  } catch (error) {
    return String(error)
  }
}
