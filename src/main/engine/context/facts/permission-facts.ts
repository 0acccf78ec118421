import type { PermissionMode } from '../../../../shared/model/approval'
import type { SandboxStatus } from '../../../../shared/model/sandbox'
import type { ContextFact } from './context-fact'

/** Hosts that are named; of more than these only the number is told. */
const MOST_HOSTS = 8

/** What is told of permissions and of the sandbox. */
export interface PermissionSurroundings {
  /** The mode that counts: a subagent has that of the session it belongs to. */
  mode: PermissionMode
  /** Whether a person can answer while this process runs. */
  canAsk: boolean
  /** Absent: not known. */
  sandbox?: SandboxStatus
}

/** Which calls need approval, who approves them, and what commands can reach. Plan mode is announced by messages of its own. */
export function permissionFacts({ mode, canAsk, sandbox }: PermissionSurroundings): ContextFact[] {
  const isSandboxed = sandbox !== undefined && sandbox.level !== 'unrestricted'
  const permissions: ContextFact = {
    key: 'permissions',
    text: `Permission mode: ${mode}. ${withoutApproval(mode, isSandboxed)} ${canAsk ? BY_THE_USER : BY_NOBODY}`,
    changed: 'What needs approval has changed:',
  }
  if (!sandbox) return [permissions]
  return [permissions, { key: 'sandbox', text: `Sandbox: ${sandboxSentence(sandbox)}`, changed: 'The sandbox for commands has changed:' }]
}

const BY_THE_USER = 'Other calls wait until the user approves or rejects them.'
const BY_NOBODY =
  'Nobody can approve anything in this session: other calls are denied unless a rule allows them. Nobody answers questions either, so decide yourself and say what you assumed.'

function withoutApproval(mode: PermissionMode, isSandboxed: boolean): string {
  if (mode === 'auto') return 'Calls run without approval unless they are dangerous, read secrets or leave the sandbox.'
  const commands = isSandboxed && mode === 'accept-edits' ? 'running commands in the sandbox' : 'running commands that only read'
  return `${mode === 'accept-edits' ? 'Reading and editing files' : 'Reading files'} of the project and ${commands} need no approval.`
}

function sandboxSentence({ level, network, hosts = [] }: SandboxStatus): string {
  if (level === 'unrestricted') return 'none; commands run with all the permissions of the user.'
  if (level === 'read-only') return 'read-only; commands can change nothing and have no network.'
  const reach = {
    none: 'have no network',
    listed: `can connect only to ${hosts.length === 0 ? 'no hosts' : hosts.slice(0, MOST_HOSTS).join(', ')}${hosts.length > MOST_HOSTS ? ` and ${hosts.length - MOST_HOSTS} more hosts` : ''}`,
    open: 'can use the network',
  }[network]
  return `project; commands can write only to the project, added folders and tool caches, and ${reach}.`
}
