import { release } from 'node:os'
import type { SkillView } from '../../../../shared/model/skill'
import type { OfferedAgent } from '../../tool/session-agents'
import { agentSection } from '../agent-section'
import type { Instructions } from '../instructions'
import { skillSection } from '../skill-section'
import type { ContextFact } from './context-fact'

/** What the facts are made from. Whatever can change between two steps of a turn is looked at before each step; the rest when a turn begins. */
export interface FactsInput {
  folder: string
  addedFolders: readonly string[]
  isGitRepository: boolean
  /** Local date, e.g. `2026-11-20`. */
  today: string
  instructions: readonly Instructions[]
  /** Empty where the agent has no tool for them. */
  skills: readonly SkillView[]
  /** Types of subagents that the Agent tool does not name itself; empty where the agent cannot start any. */
  agentTypes: readonly OfferedAgent[]
  /** The list of tools that can be loaded, where there is one. */
  loadable?: string | undefined
}

/** What the model is told of its surroundings, in the order of the system prompt. Free of effects, and cheap. */
export function gatherFacts(input: FactsInput): ContextFact[] {
  return [
    { key: 'folder', text: `Project folder: ${input.folder}${input.isGitRepository ? ' (a git repository)' : ''}` },
    ...addedFolders(input.addedFolders),
    { key: 'system', text: `System: ${process.platform} ${release()} (${process.arch}).` },
    { key: 'date', text: `Today: ${input.today}.`, changed: 'The date has changed.' },
    ...instructions(input.instructions),
    ...listed('skills', skillSection(input.skills), 'The skills you can load have changed.', 'There are no skills to load any more.'),
    ...listed('agent-types', agentSection(input.agentTypes), 'The agent types have changed.', 'There are no further agent types any more.'),
    ...listed('loadable-tools', input.loadable, 'The tools you can load have changed.', 'There are no tools to load any more.'),
  ]
}

function addedFolders(folders: readonly string[]): ContextFact[] {
  if (folders.length === 0) return []
  return [
    {
      key: 'added-folders',
      text: `Further folders you may use: ${folders.join(', ')}`,
      changed: 'The person has changed which folders you may use beside the project folder.',
      removed: 'You may not use any folder beside the project folder any more.',
    },
  ]
}

function instructions(files: readonly Instructions[]): ContextFact[] {
  if (files.length === 0) return []
  const head = {
    key: 'instructions',
    text: 'The person keeps instructions for agents in the files below; the later ones are nearer to the project and weigh more.',
  }
  return [
    head,
    ...files.map(({ path, text }) => ({
      key: `instructions:${path}`,
      text: `<instructions path="${path}">\n${text.trim()}\n</instructions>`,
      changed: `The person's instructions for agents in ${path} are now:`,
      removed: `The instructions for agents in ${path} are gone and do not hold any more.`,
    })),
  ]
}

/** A list of which a small change is told by its lines. */
function listed(key: string, text: string | undefined, changed: string, removed: string): ContextFact[] {
  return text === undefined ? [] : [{ key, text, changed, removed, isList: true }]
}

/** The facts as they are whenever it is called: the same array as long as what they are made from is the same. */
export function factsOf(input: () => FactsInput): () => readonly ContextFact[] {
  let last: FactsInput | undefined
  let facts: readonly ContextFact[] = []
  return () => {
    const now = input()
    const before = last
    if (before && (Object.keys(now) as (keyof FactsInput)[]).every((name) => now[name] === before[name])) return facts
    last = now
    return (facts = gatherFacts(now))
  }
}
