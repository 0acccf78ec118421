import type { SkillView } from '../../../shared/model/skill'

/** Characters of the prompt that the list of skills may take; a model picks badly from more anyway. */
const MOST_CHARS = 12_000
const DESCRIPTION_CHARS = 300

/** The skills the agent may load, for the system prompt: name and description only. Undefined when there are none, so that nothing is said. */
export function skillSection(skills: readonly SkillView[]): string | undefined {
  const usable = skills.filter(isLoadable)
  if (usable.length === 0) return undefined
  const lines: string[] = []
  let chars = 0
  for (const { name, description, whenToUse } of usable) {
    const text = whenToUse === undefined ? description : `${description} Use when: ${whenToUse}`
    const line = `- ${name}: ${text.length > DESCRIPTION_CHARS ? `${text.slice(0, DESCRIPTION_CHARS - 1)}…` : text}`
    if (chars + line.length > MOST_CHARS) {
      lines.push(
        `- and ${usable.length - lines.length} more: ${usable
          .slice(lines.length)
          .map((skill) => skill.name)
          .join(', ')}`.slice(0, MOST_CHARS),
      )
      break
    }
    chars += line.length
    lines.push(line)
  }
  return `Skills you can load with the Skill tool when one fits:\n${lines.join('\n')}`
}

/** Whether the agent may load it by itself. */
export function isLoadable({ type, modelInvocation, hiddenBy }: SkillView): boolean {
  return type === 'inline' && modelInvocation && hiddenBy === undefined
}
