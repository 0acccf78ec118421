import { release } from 'node:os'
import type { SkillView } from '../../../shared/model/skill'
import type { Instructions } from './instructions'
import type { OfferedAgent } from '../tool/session-agents'
import { agentSection } from './agent-section'
import { skillSection } from './skill-section'
import base from './system-prompt.md?raw'

export interface Surroundings {
  folder: string
  addedFolders: readonly string[]
  isGitRepository: boolean
  /** Local date, e.g. `2026-11-20`: a day is fine enough and keeps the prompt cacheable. */
  today: string
  modelLabel: string
}

/** What makes a subagent different, whatever its kind. */
const SUBAGENT =
  'You are a subagent: another agent has given you the task in the first message, and reads nothing but your last message. Make that complete and to the point: what you did or found, with the places, and what is left or doubtful. Nobody answers questions in between; where something is unclear, decide sensibly and say what you assumed.'

/** What the model is told before the conversation. Stable within a day, so that providers can cache it. */
export function systemPrompt(
  surroundings: Surroundings,
  instructions: readonly Instructions[],
  skills: readonly SkillView[] = [],
  agent: { prompt?: string; types: readonly OfferedAgent[] } = { types: [] },
): string {
  const lines = [
    `Project folder: ${surroundings.folder}${surroundings.isGitRepository ? ' (a git repository)' : ''}`,
    ...(surroundings.addedFolders.length > 0 ? [`Further folders you may use: ${surroundings.addedFolders.join(', ')}`] : []),
    `System: ${process.platform} ${release()} (${process.arch}). Today: ${surroundings.today}.`,
  ]
  const role = agent.prompt === undefined ? [] : [`${SUBAGENT}\n\n${agent.prompt}`.trim()]
  const sections = [base.trim(), ...role, lines.join('\n')]
  if (instructions.length > 0) {
    sections.push('The person keeps instructions for agents in the files below; the later ones are nearer to the project and weigh more.')
    for (const { path, text } of instructions) sections.push(`<instructions path="${path}">\n${text.trim()}\n</instructions>`)
  }
  const listed = skillSection(skills)
  if (listed !== undefined) sections.push(listed)
  const types = agentSection(agent.types)
  if (types !== undefined) sections.push(types)
  return sections.join('\n\n')
}
