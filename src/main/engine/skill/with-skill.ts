import type { UserPart } from '../../../shared/model/message'
import type { Skills } from './skills'

/**
 * A prompt that begins with `/name` or `/skills:name` of a skill, with that skill's instructions behind it; any other prompt as it is: a slash also begins paths. What the
 * user wrote stays as it was written.
 */
export async function withSkill(skills: Pick<Skills, 'find' | 'body'>, folder: string, parts: UserPart[]): Promise<UserPart[]> {
  const [first] = parts
  const match = first?.type === 'text' ? /^\s*\/(?:skills?:)?([a-z0-9][a-z0-9-]*)(?:\s+([^]*))?$/.exec(first.text) : undefined
  if (!match) return parts
  const [, name = '', args = ''] = match
  const skill = await skills.find(folder, name)
  if (!skill) return parts
  const body = await skills.body(skill, args)
  return [
    ...parts,
    { type: 'text', skill: name, text: `<skill name="${name}" folder="${skill.path.replace(/\/SKILL\.md$/, '')}">\n${body}\n</skill>` },
  ]
}
