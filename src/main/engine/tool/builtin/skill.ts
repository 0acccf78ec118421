import { z } from 'zod'
import { nearest } from '../../../../shared/nearest'
import type { SkillList, SkillView } from '../../../../shared/model/skill'
import { failed, ok, refuse, type Tool } from '../tool'
import description from './skill.md?raw'

const input = z.strictObject({
  skill: z.string().trim().min(1).describe('Its name'),
  args: z.string().optional(),
})

/** A skill that loads a skill that loads a skill; no deeper. */
const MOST_LEVELS = 3

export interface SkillToolDeps {
  list(): Promise<SkillList>
  body(skill: SkillView, args: string): Promise<string>
  /** Changes with every prompt of the user: how deep skills are nested is counted from there. */
  turnId(): string | undefined
}

/** Lets the agent load a skill; see reference/tools.md. Only offered when there are skills it may load. */
export function skillTool(deps: SkillToolDeps): Tool<typeof input> {
  /** How deep the skills loaded in this turn go. Calls of one step are prepared before any runs, so they are on one level. */
  let depth = { turnId: deps.turnId(), level: 0 }
  return {
    name: 'Skill',
    description,
    input,
    subject: ['skill'],
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    async prepare({ skill: asked, args = '' }) {
      const name = asked.replace(/^\//, '')
      const { skills } = await deps.list()
      const usable = skills.filter((skill) => skill.hiddenBy === undefined)
      const skill = usable.find((candidate) => candidate.name === name)
      if (!skill) return refuse(unknown(name, usable))
      if (skill.type !== 'inline') return refuse(`The skill ${name} is of type ${skill.type}: only the user can start it, with /${name}.`)
      if (!skill.modelInvocation)
        return refuse(`The skill ${name} is kept from being loaded by you: only the user can start it, with /${name}.`)
      if (depth.turnId !== deps.turnId()) depth = { turnId: deps.turnId(), level: 0 }
      const level = depth.level + 1
      if (level > MOST_LEVELS)
        return refuse(`Skills are nested ${MOST_LEVELS} deep already. Finish with the instructions you have, without loading ${name}.`)
      return {
        summary: args.trim() === '' ? name : `${name} ${args.trim()}`.slice(0, 120),
        accesses: [{ kind: 'file', path: skill.path, write: false }],
        async run() {
          depth.level = Math.max(depth.level, level)
          try {
            const body = await deps.body(skill, args)
            return ok(`<skill name="${name}" folder="${skill.path.replace(/\/SKILL\.md$/, '')}">\n${body}\n</skill>`)
          } catch (error) {
            return failed(error instanceof Error ? error.message : String(error))
          }
        },
      }
    },
  }
}

function unknown(name: string, skills: readonly SkillView[]): string {
  const names = skills.map((skill) => skill.name)
  const [best] = nearest(name, names, 1)
  const known = names.length === 0 ? 'There are no skills.' : `There are: ${names.slice(0, 50).join(', ')}.`
  return `There is no skill ${name}.${best === undefined ? '' : ` Did you mean ${best}?`} ${known}`
}
