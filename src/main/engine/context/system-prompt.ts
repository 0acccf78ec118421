import { release } from 'node:os'
import type { SkillView } from '../../../shared/model/skill'
import type { Instructions } from './instructions'
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

/** What the model is told before the conversation. Stable within a day, so that providers can cache it. */
export function systemPrompt(surroundings: Surroundings, instructions: readonly Instructions[], skills: readonly SkillView[] = []): string {
  const lines = [
    `Project folder: ${surroundings.folder}${surroundings.isGitRepository ? ' (a git repository)' : ''}`,
    ...(surroundings.addedFolders.length > 0 ? [`Further folders you may use: ${surroundings.addedFolders.join(', ')}`] : []),
    `System: ${process.platform} ${release()} (${process.arch}). Today: ${surroundings.today}.`,
  ]
  const sections = [base.trim(), lines.join('\n')]
  if (instructions.length > 0) {
    sections.push('The person keeps instructions for agents in the files below; the later ones are nearer to the project and weigh more.')
    for (const { path, text } of instructions) sections.push(`<instructions path="${path}">\n${text.trim()}\n</instructions>`)
  }
  const listed = skillSection(skills)
  if (listed !== undefined) sections.push(listed)
  return sections.join('\n\n')
}
