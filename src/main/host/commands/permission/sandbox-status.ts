import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import { errorText } from '../../../../shared/error-text'
import type { SessionMode } from '../../../../shared/model/approval/approval'
import {
  describeSandbox,
  type CommandSandbox,
  describeDenial,
  SANDBOX_NETWORKS,
  type SandboxLevel,
} from '../../../../shared/model/task/sandbox'
import { INCOMPLETE_SEARCH_NOTE } from '../../../../shared/configuration/sandbox-text'
import { defaultSandbox } from '../../../engine/approval/policies/sandbox-verdict'
import { sandboxSupport } from '../../../engine/sandbox/sandbox-support'
import { mountPlan } from '../../../engine/sandbox/mounts/mount-plan'
import type { Mount } from '../../../engine/sandbox/mounts/system-mounts'
import type { SandboxPolicy } from '../../../engine/sandbox/sandbox-policy'
import { commandEnv } from '../../../engine/environment/command-env'
import { isWithin } from '../../../engine/workspace/path/real-path'
import { findDenial } from '../../../engine/sandbox/find-denial'
import { wrapCommand, type WrappedCommand } from '../../../engine/sandbox/bubblewrap/wrap-command'
import { shellOfThisMachine } from '../../../engine/task/run/task-starter'
import { UsageError, type Parsed } from '../../../console/parse-command'
import type { Settings } from '../../../engine/config/settings/settings'
import type { SandboxedSession, Sandboxes } from '../../../engine/sandbox/create-sandboxes'

/** What `trestle sandbox status` prints. */
export interface SandboxReport extends CommandSandbox {
  available: boolean
  /** Whether commands must not run without a sandbox. */
  required: boolean
  /** Why no sandbox is available, and how to get one. */
  reason?: string
  remedy?: string
  /** The sandbox mechanism of this machine. */
  program?: string
  folder: string
  mode: SessionMode
  writable: string[]
  readable: string[]
  hidden: string[]
  /** Read-only paths inside writable folders. */
  protected: string[]
  hosts: readonly string[]
  sockets: readonly string[]
  /** The project is too large to search completely: deeply nested secrets may not be hidden. */
  isIncomplete?: boolean
}

/** Shows the sandbox of commands that run without approval. */
export function sandboxStatus(action: SandboxAction): number {
  const report = reportOf(action)
  process.stdout.write(action.values['json'] === true ? `${JSON.stringify(report)}\n` : reportText(report))
  return 0
}

function reportOf({ sandboxes, session, settings, home, values }: SandboxAction): SandboxReport {
  const mode = (typeof values['mode'] === 'string' ? values['mode'] : settings.defaultPermissionMode) as SessionMode
  const found = sandboxes.availability(session)
  const common = { folder: session.root, mode, required: found.required }
  const nothing = { writable: [], readable: [], hidden: [], protected: [], hosts: [], sockets: [] }
  if (!found.available) {
    const { reason, remedy } = found
    const without = { available: false, level: 'unrestricted', network: 'open' } as const
    return { ...without, ...common, ...nothing, reason, ...(remedy !== undefined && { remedy }) }
  }
  const support = sandboxSupport()
  const program = support.kind === 'none' ? undefined : `${support.kind} (${support.bwrap})`
  const usual = defaultSandbox({ mode: mode === 'plan' ? 'ask' : mode, readsOnly: mode === 'plan' })
  const policy = sandboxes.policy(session, usual)
  if (!policy) return { available: true, ...usual, ...common, ...nothing, ...(program !== undefined && { program }) }
  return {
    available: true,
    level: policy.level,
    network: policy.network,
    ...common,
    ...(program !== undefined && { program }),
    ...effectiveAccess(policy, home, commandEnv(process.env, settings)['PATH']),
    hosts: policy.hosts,
    sockets: policy.sockets,
  }
}

/** Folders that exist in every sandbox, empty. */
const EMPTY = new Set(['/run', '/var'])

/** Derived from the sandbox's actual configuration, so that the report matches what is enforced. */
function effectiveAccess(
  policy: SandboxPolicy,
  home: string,
  path: string | undefined,
): Pick<SandboxReport, 'writable' | 'readable' | 'hidden' | 'protected' | 'isIncomplete'> {
  const { mounts, placeholders, isIncomplete } = mountPlan(policy, path)
  const of = (...kinds: Mount['kind'][]): string[] => [
    ...new Set(mounts.filter(({ kind }) => kinds.includes(kind)).map((mount) => mount.path)),
  ]
  const writable = of('write')
  const isInside = (each: string): boolean => writable.some((folder) => each !== folder && isWithin(each, folder))
  const readable = of('read', 'text')
  return {
    writable: ['/tmp (private)', ...writable.filter((each) => !isInside(each))],
    readable: readable.filter((each) => !isInside(each)),
    hidden: [
      ...new Set([home, ...of('hidden', 'empty').filter((each) => !EMPTY.has(each) && each !== policy.userHome)]),
    ],
    protected: [...new Set([...readable.filter(isInside), ...placeholders])],
    ...(isIncomplete && { isIncomplete }),
  }
}

const MODES: Record<SessionMode, string> = {
  ask: 'Ask first',
  'accept-edits': 'Accept edits',
  auto: 'Auto',
  plan: 'Plan',
}

function reportText(report: SandboxReport): string {
  const { available, folder, mode, program, reason, remedy, required } = report
  const lines = [`Folder: ${folder}`, `Mode: ${MODES[mode]}`]
  if (!available) {
    lines.unshift(`No sandbox available: ${reason}`, ...(remedy === undefined ? [] : [`To get one: ${remedy}`]))
    const what = required
      ? 'Your settings require a sandbox, so every command asks.'
      : 'Commands run unrestricted, and ask as the mode says.'
    return `${[...lines, what].join('\n')}\n`
  }
  lines.unshift(`Sandbox: ${program ?? 'available'}`)
  lines.push(`Commands that do not ask run in: ${describeSandbox(report)}`)
  if (report.isIncomplete) lines.push(`Warning: ${INCOMPLETE_SEARCH_NOTE}`)
  const list = (title: string, entries: readonly string[]): void =>
    void lines.push('', `${title}:`, ...(entries.length === 0 ? ['  nothing'] : entries.map((entry) => `  ${entry}`)))
  list('Can change', report.writable)
  list('Can read', report.readable)
  list('Hidden', [...report.hidden, 'home folders, but for what is listed above'])
  list('Protected in folders it can change', report.protected)
  list('Hosts it can reach', report.network === 'open' ? ['any'] : report.hosts)
  list('Unix sockets', report.sockets)
  return `${lines.join('\n')}\n`
}

/** The exit code when the command was not run. */
const NOT_RUN = 125
/** Maximum characters at the end of the output searched for sandbox denials. */
const KEPT_CHARS = 20_000

/** Ctrl+C goes to the command; this program waits for it to exit. */
function ignore(): void {
  // The command received the signal too.
}

/**
 * Runs a command in a sandbox, never without one, and prints to stderr what the sandbox blocked. Returns the command's
 * exit code.
 */
export async function trySandbox(
  { sandboxes, session, settings, values }: SandboxAction,
  command: string,
): Promise<number> {
  const level: SandboxLevel = values['level'] === 'read-only' ? 'read-only' : 'project'
  const network =
    SANDBOX_NETWORKS.find((each) => each === values['network']) ?? (level === 'project' ? 'listed' : 'none')
  if (level === 'read-only' && network !== 'none') throw usageError('A read-only command has no network.')
  const policy = sandboxes.policy(session, { level, network })!
  const { root: cwd } = session
  let wrapped: WrappedCommand
  try {
    const env = { ...commandEnv(process.env, settings), PWD: cwd }
    wrapped = wrapCommand({ policy, command: shellOfThisMachine().path, args: ['-c', command], cwd, env })
  } catch (error) {
    process.stderr.write(`trestle: The command was not run. ${errorText(error)}\n`)
    return NOT_RUN
  }
  process.on('SIGINT', ignore)
  try {
    const { code, output } = await run(wrapped)
    const problem = wrapped.problem()
    if (problem !== undefined) {
      process.stderr.write(`trestle: The command was not run. ${problem}\n`)
      return NOT_RUN
    }
    const denied = code === 0 ? undefined : findDenial({ policy, cwd, output, hosts: wrapped.deniedHosts() })
    if (denied) process.stderr.write(`trestle: ${describeDenial(denied, policy)}\n`)
    else if (code !== 0)
      process.stderr.write(`trestle: exit code ${code} in the sandbox (${describeSandbox(policy)}).\n`)
    return code
  } finally {
    process.removeListener('SIGINT', ignore)
    wrapped.close()
  }
}

function run({ command, args, env }: WrappedCommand): Promise<{ code: number; output: string }> {
  const child = spawn(command, args, { env, cwd: '/', stdio: ['inherit', 'pipe', 'pipe'] })
  let output = ''
  const pass = (from: Readable, to: NodeJS.WriteStream): void =>
    void from.on('data', (bytes: Buffer) => {
      output = (output + bytes.toString()).slice(-KEPT_CHARS)
      if (to.write(bytes)) return
      from.pause()
      to.once('drain', () => from.resume())
    })
  pass(child.stdout, process.stdout)
  pass(child.stderr, process.stderr)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) =>
      resolve({ code: code ?? 128 + (signal ? constants.signals[signal] : 0), output }),
    )
  })
}

/** The input of both actions: a folder, configured as for a session in it. */
export interface SandboxAction {
  sandboxes: Sandboxes
  session: SandboxedSession
  settings: Settings
  home: string
  values: Parsed['values']
}

/** Wrong usage of `trestle sandbox`. */
export function usageError(message: string): UsageError {
  return new UsageError(message, 'sandbox')
}
