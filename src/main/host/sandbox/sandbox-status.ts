import type { SessionMode } from '../../../shared/model/approval'
import { describeSandbox, type CommandSandbox } from '../../../shared/model/sandbox'
import { INCOMPLETE_SEARCH } from '../../../shared/model/sandbox-words'
import { usualSandbox } from '../../engine/approval/sandbox-verdict'
import { sandboxSupport } from '../../engine/sandbox/find-sandbox'
import { mountPlan } from '../../engine/sandbox/mount-plan'
import type { Mount } from '../../engine/sandbox/system-mounts'
import type { SandboxPolicy } from '../../engine/sandbox/sandbox-policy'
import { commandEnv } from '../../engine/task/command-env'
import { isWithin } from '../../engine/workspace/real-path'
import type { SandboxAction } from './sandbox-action'

/** What `trestle sandbox status` prints. */
export interface SandboxReport extends CommandSandbox {
  available: boolean
  /** Whether commands may not run without one. */
  required: boolean
  /** Why there is none, and what to do about it. */
  reason?: string
  remedy?: string
  /** What this machine makes sandboxes with. */
  program?: string
  folder: string
  mode: SessionMode
  writable: string[]
  readable: string[]
  hidden: string[]
  /** Stays as it is although the folder around it can be changed. */
  protected: string[]
  hosts: readonly string[]
  sockets: readonly string[]
  /** The project is too large to be searched as a whole: secrets deep in it may not be hidden. */
  isIncomplete?: boolean
}

/** Says what commands of the folder run in when nobody is asked about them. */
export function sandboxStatus(action: SandboxAction): number {
  const report = reportOf(action)
  process.stdout.write(action.values['json'] === true ? `${JSON.stringify(report)}\n` : inWords(report))
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
  const usual = usualSandbox({ mode: mode === 'plan' ? 'ask' : mode, readsOnly: mode === 'plan' })
  const policy = sandboxes.policy(session, usual)
  if (!policy) return { available: true, ...usual, ...common, ...nothing, ...(program !== undefined && { program }) }
  return {
    available: true,
    level: policy.level,
    network: policy.network,
    ...common,
    ...(program !== undefined && { program }),
    ...seen(policy, home, commandEnv(process.env, settings)['PATH']),
    hosts: policy.hosts,
    sockets: policy.sockets,
  }
}

/** Folders that are there in every sandbox, and empty. */
const EMPTY = new Set(['/run', '/var'])

/** Read off what the sandbox is made of, so that what is shown is what is enforced. */
function seen(
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
    hidden: [...new Set([home, ...of('hidden', 'empty').filter((each) => !EMPTY.has(each) && each !== policy.userHome)])],
    protected: [...new Set([...readable.filter(isInside), ...placeholders])],
    ...(isIncomplete && { isIncomplete }),
  }
}

const MODES: Record<SessionMode, string> = { ask: 'Ask first', 'accept-edits': 'Accept edits', auto: 'Auto', plan: 'Plan' }

function inWords(report: SandboxReport): string {
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
  if (report.isIncomplete) lines.push(`Warning: ${INCOMPLETE_SEARCH}`)
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
