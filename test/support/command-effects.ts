import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Secret values that no command may print. */
export const SECRET = 'canary-5f1c0e9d'
const PROGRAMS = new Set(
  `bash sh dash ls dir cat tac head tail nl wc cut paste tr fold fmt rev column expand unexpand comm cmp sort uniq grep egrep fgrep rg sed md5sum
  sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum od hexdump xxd strings jq diff tree du stat file realpath readlink find whoami
  id groups uname hostname arch nproc uptime date sleep which whereis df free ps lsof git echo printf true false basename dirname seq test [
  env timeout nice nohup setsid stdbuf xargs time pwd`.split(/\s+/),
)
/** System calls that change, start or send something, and those that open files; strace ignores unknown ones. */
const TRACED =
  `execve open openat openat2 creat connect bind sendto unlink unlinkat rename renameat renameat2 mkdir mkdirat rmdir symlink symlinkat
  link linkat chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat truncate ftruncate utimensat utime utimes futimesat mknod mknodat
  setxattr fsetxattr lsetxattr mount umount2 settimeofday clock_settime`
    .split(/\s+/)
    .map((name) => `?${name}`)
    .join(',')
/** Where bash stores a large here-document, temporarily. */
const OWN_TEMPORARY = /^\/tmp\/sh-thd/

const SANDBOXED = '--unshare-all --die-with-parent --new-session --ro-bind / / --dev /dev --proc /proc'.split(' ')
const UNPRIVILEGED = 'setpriv --reuid=65534 --regid=65534 --clear-groups'.split(' ')
/** An unprivileged user in a sandbox without network and with a read-only file system. */
const SANDBOX = [...(process.getuid?.() === 0 ? UNPRIVILEGED : []), 'bwrap', ...SANDBOXED]

/** A scratch project with secrets in and around it, for an unprivileged user. */
export interface Scratch {
  base: string
  project: string
}

/** Whether this machine can run commands in bubblewrap under strace. */
export function canTrace(): boolean {
  const argv = [...SANDBOX, '--tmpfs', '/tmp', 'strace', '-f', '-o', '/tmp/log', 'true']
  return spawnSync(argv[0]!, argv.slice(1), { timeout: 10_000 }).status === 0
}

/** Creates the project below `base`. `history`: secrets are tracked, too. */
export function effectsScratch(base: string): Scratch {
  const project = join(base, 'project')
  for (const folder of ['project/src/deep', 'project/.keys', 'project/safe', 'outside', 'home/.ssh', 'logs'])
    mkdirSync(join(base, folder), { recursive: true })
  const write = (path: string, text: string): void => writeFileSync(join(base, path), text)
  write('project/.env', `K=${SECRET}\n`)
  write('project/.keys/id_rsa', `${SECRET}\n`)
  write('project/a.txt', 'alpha\nbeta\n')
  write('project/b.txt', 'beta\ngamma\n')
  write('project/package.json', '{"name":"x","env":{"a":1}}\n')
  write('project/src/a.ts', 'export const a = 1\n')
  write('project/src/deep/b.ts', 'export const b = 2\n')
  write('project/safe/f.txt', 'foo\n')
  write('project/script.sh', '#!/bin/sh\ntouch pwned\n')
  write('outside/secret.txt', `${SECRET}\n`)
  write('home/.ssh/id_rsa', `${SECRET}\n`)
  chmodSync(join(project, 'script.sh'), 0o755)
  symlinkSync('../outside', join(project, 'link'))
  symlinkSync('..', join(project, 'src', 'up'))
  const git = (...words: string[]): void => {
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...words], {
      cwd: project,
      stdio: 'ignore',
    })
  }
  git('init', '-q')
  git('add', '-f', '.')
  git('commit', '-qm', 'first')
  write('project/.env', `K=${SECRET}-changed\n`)
  write('project/src/a.ts', 'export const a = 2\n')
  if (process.getuid?.() === 0) execFileSync('chown', ['-R', '65534:65534', base])
  return { base, project }
}

/**
 * Runs commands in a sandbox that records their effects; returns for each the effects that a read-only command must not
 * have.
 */
export async function effectsOf(commands: readonly string[], { base, project }: Scratch): Promise<string[][]> {
  const logs = join(base, 'logs')
  rmSync(logs, { recursive: true, force: true })
  mkdirSync(logs)
  chmodSync(logs, 0o777)
  for (const [index, command] of commands.entries()) writeFileSync(join(logs, `${index}.cmd`), command)
  const driver =
    `for f in ${logs}/*.cmd; do n=\${f%.cmd}; cd ${project}; timeout -s KILL 2 strace -f -y -qq -s ` +
    `400 -e signal=none -e trace=${TRACED} -o $n.log bash -c "$(cat $f)" </dev/null >$n.out 2>&1; done`
  const argv = [...SANDBOX, '--tmpfs', '/tmp', '--bind', base, base, 'bash', '-c', driver]
  const env = {
    PATH: '/usr/bin:/bin',
    HOME: join(base, 'home'),
    GIT_OPTIONAL_LOCKS: '0',
    // As in the environment of commands: see command-env.ts.
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'diff.autoRefreshIndex',
    GIT_CONFIG_VALUE_0: 'false',
    GIT_PAGER: 'cat',
    PAGER: 'cat',
    LC_ALL: 'C.UTF-8',
  }
  await new Promise<void>((resolve, reject) => {
    const child = spawn(argv[0]!, argv.slice(1), { env, stdio: 'ignore' })
    child.once('error', reject)
    child.once('close', () => resolve())
  })
  return commands.map((_, index) => found(join(logs, String(index)), { base, project }))
}

function found(name: string, scratch: Scratch): string[] {
  const output = readFileSync(`${name}.out`, 'latin1')
  const effects = output.includes(SECRET) ? ['shows a secret'] : []
  const log = readFileSync(`${name}.log`, 'latin1')
  // A process that git has started without executing another program is also git.
  const parent = /execve\("[^"]*\/git"/.test(log) ? 'git' : ''
  const programs = new Map<string, string>()
  for (const line of log.split('\n')) {
    const [, pid = '', call = ''] = /^(\d+)\s+(\w+\(.*)$/.exec(line) ?? []
    if (call.startsWith('execve(') && call.endsWith(' = 0'))
      programs.set(pid, /^execve\("([^"]*)"/.exec(call)?.[1] ?? '')
    if (call === '') continue
    const effect = effectOf(call, programs.get(pid) ?? parent, scratch)
    if (effect !== undefined) effects.push(`${effect}: ${call.slice(0, 160)}`)
  }
  return effects
}

/** The effect of a system call beyond reading, if any. */
function effectOf(call: string, program: string, { base, project }: Scratch): string | undefined {
  const name = /^\w+/.exec(call)?.[0] ?? ''
  if (name === 'connect' || name === 'bind' || name === 'sendto') {
    return /AF_NETLINK|nscd\/socket/.test(call) || !/AF_|^sendto/.test(call) ? undefined : 'connects'
  }
  if (/ = -1 |\? ERESTART|<unfinished/.test(call)) return undefined
  const path = pathOf(call)
  if (name === 'execve') {
    const file = path.split('/').at(-1) ?? ''
    const isOwn = path.startsWith(base)
    return isOwn || !(PROGRAMS.has(file) || path.startsWith('/usr/lib/git-core/'))
      ? 'starts another program'
      : undefined
  }
  if (name.startsWith('open') || name === 'creat') {
    if (/O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(call))
      return /^\/dev\/(?:null|tty|zero)$/.test(path) || OWN_TEMPORARY.test(path) || /O_TMPFILE/.test(call)
        ? undefined
        : 'writes'
    if (path.startsWith(join(base, 'outside')) || path.startsWith(join(base, 'home', '.ssh')))
      return 'reads outside of the project'
    const isSecret = path === join(project, '.env') || path === join(project, '.keys', 'id_rsa')
    // git reads files to detect changes, without showing them.
    return isSecret && !/(?:^|\/)git(?:$|-)/.test(program) ? 'reads a secret' : undefined
  }
  return OWN_TEMPORARY.test(path) ? undefined : 'changes something'
}

/** The file of a call; for `open`, the file that strace reports as opened. */
function pathOf(call: string): string {
  const opened = / = \d+<([^>]*)>$/.exec(call)?.[1]
  return opened ?? /"([^"]*)"/.exec(call)?.[1] ?? ''
}
