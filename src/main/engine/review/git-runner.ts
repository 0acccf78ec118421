import { spawn } from 'node:child_process'
import { devNull } from 'node:os'

/** Longer than any command of a review takes on a large repository. */
const LIMIT_MS = 30_000
const MAX_BYTES = 256 * 1024 * 1024

/** What keeps a repository's own configuration from starting a program. */
const HARDENED = [
  'core.fsmonitor=false',
  `core.hooksPath=${devNull}`,
  'core.sshCommand=false',
  'core.pager=cat',
  'diff.external=',
  'protocol.allow=never',
  'submodule.recurse=false',
]

/** A failed command of git; the message is its own. */
export class GitFailure extends Error {}

/** Runs git in a folder. Rejects with `GitFailure`. */
export type GitRunner = (args: readonly string[], input?: string) => Promise<Buffer>

/**
 * A runner for commands that only read. It starts no hook, pager, file system monitor or external diff, fetches nothing
 * and writes nothing. `filters` false: the content filters that the repository's configuration names are off, too.
 */
export async function gitRunner(folder: string, { filters }: { filters: boolean }): Promise<GitRunner> {
  const plain: GitRunner = (args, input) => run(folder, HARDENED, args, input)
  if (filters) return plain
  const off = await filterSettings(plain)
  return off.length === 0 ? plain : (args, input) => run(folder, [...HARDENED, ...off], args, input)
}

/** Settings that turn every configured content filter off. Reading configuration runs nothing. */
async function filterSettings(git: GitRunner): Promise<string[]> {
  const listed = await git(['config', '--null', '--name-only', '--get-regexp', '^filter\\.']).catch(() =>
    Buffer.alloc(0),
  )
  const names = new Set(
    listed
      .toString('utf8')
      .split('\0')
      .flatMap((key) => /^filter\.(.*)\.[^.]+$/s.exec(key)?.[1] ?? []),
  )
  return [...names].flatMap((name) => [
    `filter.${name}.clean=`,
    `filter.${name}.smudge=`,
    `filter.${name}.process=`,
    `filter.${name}.required=false`,
  ])
}

function run(folder: string, settings: readonly string[], args: readonly string[], input = ''): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const child = spawn(
    'git',
    ['--no-pager', '--literal-pathspecs', ...settings.flatMap((one) => ['-c', one]), ...args],
    {
      cwd: folder,
      env: environment(),
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
      windowsHide: true,
    },
  )
  const out: Buffer[] = []
  let size = 0
  let problem = ''
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > MAX_BYTES) child.kill('SIGKILL')
    else out.push(chunk)
  })
  child.stderr.on('data', (chunk: Buffer) => {
    if (problem.length < 4000) problem += chunk.toString('utf8')
  })
  // A command that ends early does not read all of its input.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  child.on('error', (error: NodeJS.ErrnoException) =>
    reject(new GitFailure(error.code === 'ENOENT' ? 'git is not installed.' : error.message)),
  )
  child.on('close', (code, signal) => {
    if (code === 0) resolve(Buffer.concat(out))
    else if (size > MAX_BYTES) reject(new GitFailure('git returned more than 256 MiB.'))
    else reject(new GitFailure(signal ? 'git took too long.' : problem.trim() || `git ended with ${code}.`))
  })
  return promise
}

/** Variables that would lead git elsewhere or start programs are left out. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.toUpperCase().startsWith('GIT_'))
  return {
    ...Object.fromEntries(kept),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_LFS_SKIP_SMUDGE: '1',
    LC_ALL: 'C',
  }
}
