import { SUPERVISOR_VARIABLE, TASK_VARIABLE } from '../../process/process-tag'
import { ListedHosts } from '../network/listed-hosts'
import { namespaceArguments } from './bubblewrap-arguments'
import { CHECK_ARGUMENTS, MountCheck, OPEN_CHECK } from './mount-check'
import { SECCOMP_FD } from './namespace-script'
import { removeQuietly } from '../safe-fs'
import { canRestoreTerm, ENV, sandboxSupport } from '../sandbox-support'
import { SandboxFiles } from './sandbox-files'
import type { SandboxPolicy } from '../sandbox-policy'

/** One program that runs in its own sandbox and ends with it. */
export interface CommandToWrap {
  policy: SandboxPolicy
  command: string
  args: readonly string[]
  /** A folder that the policy makes visible. */
  cwd: string
  /** The whole environment of the program. */
  env: Readonly<Record<string, string>>
  /** Its /tmp is shared with other commands of the policy's scope and is kept after this one ends. */
  sharesTemporary?: boolean
}

/** The command to start instead. Any process on this machine can start it. */
export interface WrappedCommand {
  command: string
  args: string[]
  /** For the process outside; the program's own environment is in a file that only the user can open. */
  env: Record<string, string>
  /** Connections that the proxy refused. */
  deniedHosts(): { host: string; port: number }[]
  /** Resolves when the sandbox was checked: `problem` is final then. Pending if the sandbox could not be made. */
  checked: Promise<void>
  /** Why the program was not run although the command was started, as a sentence: the check of its sandbox failed. */
  problem(): string | undefined
  /** Call it after the program has ended, or if it was never started. */
  close(): void
}

/** File descriptor of bubblewrap's arguments; both are closed before the program starts. */
const ARGUMENTS_FD = 12
/**
 * Arguments: the seccomp filter's file and the sandbox's folder, whose file of arguments is deleted once open.
 * Descriptors inherited from the program that started Trestle are closed first, since a command could use them to
 * escape.
 */
const START = `for fd in /proc/self/fd/*; do fd=\${fd##*/}; if (( fd > 2 )); then eval "exec $fd>&-"; fi; done
exec ${SECCOMP_FD}<"$1" ${ARGUMENTS_FD}<"$2/arguments" || exit 125; rm -f -- "$2/arguments"
${OPEN_CHECK} || exit 125; shift 2; exec "$@"`
/**
 * bubblewrap does not forward SIGTERM: it would exit, and the whole sandbox with it, before the program could clean up.
 */
const WITHOUT_TERM = `trap '' TERM; exec "$@"`
/** With a socket as its input, bash assumes it is a remote shell and reads ~/.bashrc. */
const BASH = ['--norc', '-c']
const PATH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin'

/**
 * Wraps one program in its own sandbox: a new pid namespace, and a new network namespace unless the network is `open`.
 * When the process outside or its parent ends, so does everything inside. The program starts after this process has
 * checked its mounts. Throws, with an actionable message, when there is no sandbox or it cannot protect what it should.
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
    if (folder !== undefined) removeQuietly(folder)
    if (sharesTemporary) files.removePlaceholders()
    else files.close()
  }
  try {
    const isListed = policy.network === 'listed'
    const namespaces = isListed ? 'shared' : policy.network === 'open' ? 'host' : 'own'
    const mounts = files.arguments(policy, env, { namespaces, seccompFd: SECCOMP_FD })
    folder = files.group([...mounts, ...CHECK_ARGUMENTS, '--chdir', cwd])
    const checking = new MountCheck(folder, (mountinfo) => files.problemOf(policy, env, mountinfo))
    check = checking
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
      checked: checking.done,
      problem: () => checking.problem,
      close,
    }
  } catch (error) {
    close()
    throw error
  }
}
