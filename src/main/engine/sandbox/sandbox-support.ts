import { execFile, spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** The sandbox this machine supports, or why it supports none and what to do about it (sentences). */
export type SandboxSupport =
  | { kind: 'bubblewrap'; bwrap: string; bash: string; setsid: string; socat?: string; nsenter?: string }
  | { kind: 'none'; reason: string; remedy?: string }

let found: SandboxSupport | undefined
let finding: Promise<SandboxSupport> | undefined

/** Detected once per process, by starting a sandbox and waiting for it. */
export function sandboxSupport(): SandboxSupport {
  if (found) return found
  const programs = sandboxPrograms(process.platform, process.env['PATH'])
  if (programs.kind === 'none') return (found = programs)
  const result = spawnSync(programs.bwrap, probeArguments(programs.bwrap), {
    encoding: 'utf8',
    timeout: PROBE_MS,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  return (found = result.status === 0 ? programs : startFailure(result.stderr ?? ''))
}

/**
 * The same, without blocking; afterwards `sandboxSupport` returns immediately. A program that will need the result
 * calls this before it loads anything large: the probe then runs in parallel, and starting a process takes longer the
 * more memory this one uses.
 */
export function probeSandboxSupport(): Promise<SandboxSupport> {
  finding ??= findSandbox(process.platform, process.env['PATH']).then((support) => (found ??= support))
  return finding
}

/** Detects it again, with the programs of this search path, by starting a sandbox. */
export async function findSandbox(platform: NodeJS.Platform, path: string | undefined): Promise<SandboxSupport> {
  const programs = sandboxPrograms(platform, path)
  if (programs.kind === 'none') return programs
  return new Promise((resolve) => {
    execFile(programs.bwrap, probeArguments(programs.bwrap), { timeout: PROBE_MS }, (error, stdout, stderr) => {
      if (!error) restoresTerm ??= stdout.trim() === RESTORES
      resolve(error ? startFailure(stderr) : programs)
    })
  })
}

export const ENV = '/usr/bin/env'
const RESTORE_TERM = ['--default-signal=TERM', 'true']
/** Printed by the probe when `canRestoreTerm` is true. */
const RESTORES = 'restores'
let restoresTerm: boolean | undefined

/**
 * Whether `env` can restore a program's default handling of SIGTERM, which a shell cannot do. Returns immediately after
 * `probeSandboxSupport`.
 */
export function canRestoreTerm(): boolean {
  restoresTerm ??= spawnSync(ENV, RESTORE_TERM, { stdio: 'ignore', timeout: PROBE_MS }).status === 0
  return restoresTerm
}

/** The programs that sandboxes are made with, without testing whether they work. */
export function sandboxPrograms(platform: NodeJS.Platform, path: string | undefined): SandboxSupport {
  if (platform === 'win32') return { kind: 'none', reason: 'Trestle has no sandbox for Windows yet.' }
  if (platform !== 'linux') return { kind: 'none', reason: 'Trestle has no sandbox for this system yet.' }
  const bwrap = onPath('bwrap', path)
  if (bwrap === undefined) return { kind: 'none', reason: 'bubblewrap is not installed.', remedy: installCommand() }
  const bash = onPath('bash', path)
  const setsid = onPath('setsid', path)
  if (bash === undefined || setsid === undefined)
    return {
      kind: 'none',
      reason: `${bash === undefined ? 'bash' : 'setsid'} is not installed, and the sandbox needs it.`,
    }
  if (process.arch !== 'x64' && process.arch !== 'arm64')
    return { kind: 'none', reason: `Trestle has no sandbox for ${process.arch} processors yet.` }
  const socat = onPath('socat', path)
  const nsenter = onPath('nsenter', path)
  return {
    kind: 'bubblewrap',
    bwrap,
    bash,
    setsid,
    ...(socat !== undefined && { socat }),
    ...(nsenter !== undefined && { nsenter }),
  }
}

const PROBE_MS = 5_000

/** Starts a sandbox in a sandbox, the same way as for commands. */
function probeArguments(bwrap: string): string[] {
  const outer = [
    '--unshare-user',
    '--unshare-pid',
    '--unshare-net',
    '--unshare-ipc',
    '--dev-bind',
    '/',
    '/',
    '--proc',
    '/proc',
  ]
  const inner = [
    '--unshare-user',
    '--cap-drop',
    'ALL',
    '--ro-bind',
    '/',
    '/',
    '--bind',
    '/proc',
    '/proc',
    '--dev',
    '/dev',
  ]
  return [
    ...outer,
    bwrap,
    ...inner,
    '/bin/sh',
    '-c',
    `if ${[ENV, ...RESTORE_TERM].join(' ')}; then echo ${RESTORES}; fi 2>/dev/null`,
  ]
}

function startFailure(stderr: string): SandboxSupport {
  const said = stderr.trim().split('\n').at(-1) ?? ''
  const reason = `bubblewrap cannot start a sandbox here (${said || 'no reason given'}).`
  const isRestricted = existsSync('/proc/sys/kernel/apparmor_restrict_unprivileged_userns')
  const remedy = isRestricted
    ? 'On Ubuntu 24.04 and later, allow it with an AppArmor profile: see docs/sandbox.md.'
    : 'User namespaces must be enabled for your account: see docs/sandbox.md.'
  return { kind: 'none', reason, remedy }
}

function installCommand(): string {
  const managers: [string, string][] = [
    ['/usr/bin/apt-get', 'sudo apt-get install -y bubblewrap socat'],
    ['/usr/bin/dnf', 'sudo dnf install -y bubblewrap socat'],
    ['/usr/bin/pacman', 'sudo pacman -S --needed bubblewrap socat'],
    ['/usr/bin/zypper', 'sudo zypper install -y bubblewrap socat'],
    ['/sbin/apk', 'sudo apk add bubblewrap socat bash util-linux'],
  ]
  return managers.find(([program]) => existsSync(program))?.[1] ?? 'Install the packages bubblewrap and socat.'
}

function onPath(program: string, path: string | undefined): string | undefined {
  return ['/usr/bin', '/bin', '/usr/local/bin', ...(path ?? '').split(delimiter).filter((folder) => isAbsolute(folder))]
    .map((folder) => join(folder, program))
    .find((file) => statSync(file, { throwIfNoEntry: false })?.isFile())
}
