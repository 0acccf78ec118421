import type { SkillView } from '../../../../shared/model/skill'
import type { OfferedAgent } from '../../tool/session-agents'
import type { Instructions } from '../instructions'
import type { ContextFact } from './context-fact'
import { environmentFacts, type Environment } from './environment-facts'
import { instructionFacts, offerFacts, serverInstructionFacts, type ServerInstructions } from './instruction-facts'
import { roleFacts, type SessionRole } from './role-fact'
import { permissionFacts, type PermissionSurroundings } from './permission-facts'

/** What the facts are made from. Values are compared by identity: what did not change is the same object. */
export interface FactsInput {
  environment: Environment
  permission: PermissionSurroundings
  /** The agent that a person has chosen for the session. */
  role: SessionRole | undefined
  instructions: readonly Instructions[]
  /** Empty where the agent has no tool for them. */
  skills: readonly SkillView[]
  /** Types of subagents that the Agent tool does not name itself; empty where the agent cannot start any. */
  agentTypes: readonly OfferedAgent[]
  servers: readonly ServerInstructions[]
  /** The list of tools that can be loaded, where there is one. */
  loadable: string | undefined
}

/** What the model is told of its surroundings, in the order of the system prompt. Free of effects, and cheap. */
export function gatherFacts(input: FactsInput): ContextFact[] {
  return [
    ...environmentFacts(input.environment),
    ...permissionFacts(input.permission),
    ...roleFacts(input.role),
    ...instructionFacts(input.instructions),
    ...offerFacts(input.skills, input.agentTypes, input.loadable),
    ...serverInstructionFacts(input.servers),
  ]
}

/** The facts as they are whenever it is called: the same array as long as they say the same. */
export function factsOf(input: () => FactsInput): () => readonly ContextFact[] {
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
