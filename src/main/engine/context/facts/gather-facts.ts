import type { SkillView } from '../../../../shared/configuration/customize/customizations'
import type { OfferedAgent } from '../../tool/session-services'
import {
  type Instructions,
  instructionFacts,
  skillAndAgentFacts,
  toolListFacts,
  serverInstructionFacts,
  watchedTerminalFacts,
  type ServerInstructions,
} from './instruction-facts'
import type { ContextFact } from './context-fact'
import { environmentFacts, type Environment } from './environment-facts'
import type { PermissionMode } from '../../../../shared/model/approval/approval'
import type { SandboxStatus } from '../../../../shared/model/task/sandbox'

/** The inputs of the facts. Values are compared one level deep, so unchanged entries must be the same objects. */
export interface FactsInput {
  environment: Environment
  permission: PermissionSurroundings
  /** The agent that the user has chosen for the session. */
  role: SessionRole | undefined
  instructions: readonly Instructions[]
  /** Empty if the agent has no tool for them. */
  skills: readonly SkillView[]
  /** Types of subagents not listed by the Agent tool itself; empty if the agent cannot start any. */
  agentTypes: readonly OfferedAgent[]
  servers: readonly ServerInstructions[]
  /** The list of tools that are called with `call_tool`, if any. */
  brief: string | undefined
  /** The list of tools that can be loaded, if any. */
  loadable: string | undefined
  /** The user's terminals that the agent may watch, one line each. */
  terminals: string | undefined
}

/** The facts about the model's environment, in the order of the system prompt. No side effects, and cheap. */
export function gatherFacts(input: FactsInput): ContextFact[] {
  return [
    ...environmentFacts(input.environment),
    ...permissionFacts(input.permission),
    ...roleFacts(input.role),
    ...instructionFacts(input.instructions),
    ...skillAndAgentFacts(input.skills, input.agentTypes),
    ...toolListFacts(input.brief, input.loadable),
    ...serverInstructionFacts(input.servers),
    ...watchedTerminalFacts(input.terminals),
  ]
}

/** Returns the current facts; the same array as long as they are unchanged. */
export function cachedFacts(input: () => FactsInput): () => readonly ContextFact[] {
  let last: string | undefined
  let inputs: FactsInput | undefined
  let facts: readonly ContextFact[] = []
  return () => {
    const now = input()
    if (inputs && isSame(inputs, now)) return facts
    inputs = now
    const made = gatherFacts(now)
    const written = made.map(({ key, text }) => `${key}\n${text}`).join('\0')
    if (written !== last) {
      last = written
      facts = made
    }
    return facts
  }
}

/** Compares one level deep: a new list with the same entries is the same. */
function isSame(before: FactsInput, now: FactsInput): boolean {
  return (Object.keys(now) as (keyof FactsInput)[]).every((name) => isAlike(before[name], now[name]))
}

function isAlike(before: unknown, now: unknown): boolean {
  if (before === now) return true
  if (typeof before !== 'object' || typeof now !== 'object' || before === null || now === null) return false
  const [a, b] = [Object.entries(before), Object.entries(now)]
  return a.length === b.length && b.every(([key, value]) => (before as Record<string, unknown>)[key] === value)
}

/** Maximum number of hosts listed by name; longer lists are given as a count. */
const MAX_HOSTS = 8

/** The facts about permissions and the sandbox. */
interface PermissionSurroundings {
  /** The effective mode; a subagent has that of its main session. */
  mode: PermissionMode
  /** Whether a user can respond while this process runs. */
  canAsk: boolean
  /** Absent if unknown. */
  sandbox?: SandboxStatus
}

/**
 * Which calls need approval, who approves them, and what commands can reach. Plan mode has its own messages.
 */
export function permissionFacts({ mode, canAsk, sandbox }: PermissionSurroundings): ContextFact[] {
  const isSandboxed = sandbox !== undefined && sandbox.level !== 'unrestricted'
  const permissions: ContextFact = {
    key: 'permissions',
    text: `Permission mode: ${mode}. ${withoutApproval(mode, isSandboxed)} ${canAsk ? BY_THE_USER : BY_NOBODY}`,
    changed: 'What needs approval has changed:',
  }
  if (!sandbox) return [permissions]
  return [
    permissions,
    { key: 'sandbox', text: `Sandbox: ${sandboxSentence(sandbox)}`, changed: 'The sandbox for commands has changed:' },
  ]
}

const BY_THE_USER = 'Other calls wait until the user approves or rejects them.'
const BY_NOBODY =
  'No user can approve anything in this session: other calls are denied unless a rule allows them. ' +
  'Questions get no answer either, so decide yourself and say what you assumed.'

function withoutApproval(mode: PermissionMode, isSandboxed: boolean): string {
  if (mode === 'auto') return 'Calls run without approval unless they are dangerous, read secrets or leave the sandbox.'
  const commands =
    isSandboxed && mode === 'accept-edits' ? 'running commands in the sandbox' : 'running commands that only read'
  return (
    `${mode === 'accept-edits' ? 'Reading and editing files' : 'Reading files'} ` +
    `of the project and ${commands} need no approval.`
  )
}

function sandboxSentence({ level, network, hosts = [] }: SandboxStatus): string {
  if (level === 'unrestricted') return 'none; commands run with all the permissions of the user.'
  if (level === 'read-only') return 'read-only; commands can change nothing and have no network.'
  const reach = {
    none: 'have no network',
    listed:
      `can connect only to ${hosts.length === 0 ? 'no hosts' : hosts.slice(0, MAX_HOSTS).join(', ')}` +
      (hosts.length > MAX_HOSTS ? ` and ${hosts.length - MAX_HOSTS} more hosts` : ''),
    open: 'can use the network',
  }[network]
  return `project; commands can write only to the project, added folders and tool caches, and ${reach}.`
}

/** The instructions of the agent that the user has chosen for a session. */
export interface SessionRole {
  /** Display name. */
  title: string
  text: string
}

/** The agent that the session runs as; empty for the default one. */
function roleFacts(role: SessionRole | undefined): ContextFact[] {
  if (!role) return []
  return [
    {
      key: 'agent',
      text:
        `This session runs as the agent "${role.title}", which the person chose. Its instructions:\n` +
        `<agent_instructions>\n${role.text || 'Work as usual.'}\n</agent_instructions>`,
      changed: 'The person chose another agent for this session. The instructions of the agent before no longer apply.',
      removed:
        'The person chose the usual agent for this session. The instructions of the agent before no longer apply.',
    },
  ]
}
