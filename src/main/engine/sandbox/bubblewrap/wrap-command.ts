import { rmSync } from 'node:fs'
import { SUPERVISOR_VARIABLE, TASK_VARIABLE } from '../../process/process-tag'
import { ListedHosts } from '../network/listed-hosts'
import { namespaceArguments } from './bubblewrap-arguments'
import { CHECK_ARGUMENTS, MountCheck, OPEN_CHECK } from './mount-check'
import { SECCOMP_FD } from './namespace-script'
import { canRestoreTerm, ENV, sandboxSupport } from '../sandbox-support'
import { SandboxFiles } from './sandbox-files'
import type { SandboxPolicy } from '../sandbox-policy'

/** One program that runs in a sandbox of its own, and ends with it. */
export interface CommandToWrap {
  policy: SandboxPolicy
  command: string
  args: readonly string[]
  /** A folder that the policy makes visible. */
  cwd: string
  /** The whole environment of the program. */
  env: Readonly<Record<string, string>>
  /** Its /tmp is shared with other commands of the policy's scope, and stays when this one has ended. */
  sharesTemporary?: boolean
}

/** The command to start instead, in any way that starts a program, also by another process on this machine. */
export interface WrappedCommand {
  command: string
  args: string[]
  /** For the process outside; the program's own environment is kept in a file that only the user can open. */
  env: Record<string, string>
  /** Connections that the proxy refused. */
  deniedHosts(): { host: string; port: number }[]
  /** Why the program was not run although the command was started: its sandbox is not what it should be. A sentence. */
  problem(): string | undefined
  /** Call it when the program has ended, or was never started. */
  close(): void
}

/** File descriptor of bubblewrap's arguments; both are closed before the program starts. */
const ARGUMENTS_FD = 12
/**
 * Takes the file of the seccomp filter and the folder of the sandbox, whose arguments are removed once they are open.
 * Whatever else is open, because the program that started Trestle left it open, is closed first: it would be a way out.
 */
const START = `for fd in /proc/self/fd/*; do fd=\${fd##*/}; if (( fd > 2 )); then eval "exec $fd>&-"; fi; done
exec ${SECCOMP_FD}<"$1" ${ARGUMENTS_FD}<"$2/arguments" || exit 125; rm -f -- "$2/arguments"
${OPEN_CHECK} || exit 125; shift 2; exec "$@"`
/**
 * bubblewrap does not pass SIGTERM on: it would end, and the whole sandbox with it, before the program could clean up.
 */
const WITHOUT_TERM = `trap '' TERM; exec "$@"`
/** With a socket for its input, bash takes itself for a remote shell and reads ~/.bashrc. */
const BASH = ['--norc', '-c']
const PATH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin'

/**
 * Wraps one program in a sandbox of its own: a new process list, and a network of its own unless it is `open`. When the
 * process outside ends, or the one that started it, so does everything inside. The program runs when its mounts have
 * been checked, by this process. Throws, with a message to act on, where there is no sandbox or it could not protect
 * what it should.
 */
export function wrapCommand({
  policy,
  command,
  args,
  cwd,
  env,
  sharesTemporary = false,
}: CommandToWrap): WrappedCommand {
  const support = sandboxSupport()
  if (support.kind === 'none')
    throw new Error(['No sandbox available:', support.reason, support.remedy ?? ''].join(' ').trim())
  const { bwrap, bash, socat } = support
  const files = new SandboxFiles(policy.home, socat)
  let listed: ListedHosts | undefined
  let folder: string | undefined
  let check: MountCheck | undefined
  const close = (): void => {
    check?.close()
    listed?.close()
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
    if (sharesTemporary) files.removePlaceholders()
    else files.close()
  }
  try {
    const isListed = policy.network === 'listed'
    const namespaces = isListed ? 'shared' : policy.network === 'open' ? 'host' : 'own'
    const mounts = files.arguments(policy, env, { namespaces, seccompFd: SECCOMP_FD })
    folder = files.group([...mounts, ...CHECK_ARGUMENTS, '--chdir', cwd])
    check = new MountCheck(folder, (mountinfo) => files.problemOf(policy, env, mountinfo))
    if (isListed) listed = new ListedHosts(policy.hosts, socat)
    const keepsTerm = !command.includes('=') && canRestoreTerm()
    const program = [...(keepsTerm ? [ENV, '--default-signal=TERM'] : []), command, ...args]
    const sandbox = [
      bash,
      ...BASH,
      START,
      'trestle',
      files.seccompFile(policy),
      folder,
      bwrap,
      '--args',
      String(ARGUMENTS_FD),
      '--',
      ...program,
    ]
    const outer = listed
      ? [bwrap, ...namespaceArguments('own'), '/bin/sh', '-c', listed.script, 'sh', ...sandbox]
      : sandbox
    const marks = [TASK_VARIABLE, SUPERVISOR_VARIABLE].flatMap((name): [string, string][] =>
      env[name] === undefined ? [] : [[name, env[name]]],
    )
    const [first = '', ...rest] = keepsTerm ? [bash, ...BASH, WITHOUT_TERM, 'trestle', ...outer] : outer
    return {
      command: first,
      args: rest,
      env: { PATH, LC_ALL: 'C', ...Object.fromEntries(marks) },
      deniedHosts: () => listed?.denied(0) ?? [],
      problem: () => check?.problem,
      close,
    }
  } catch (error) {
    close()
    throw error
  }
}
