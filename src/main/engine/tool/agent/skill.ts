import { z } from 'zod'
import { errorText } from '../../../../shared/error-text'
import { lazySchema } from '../../../../shared/lazy-schema'
import { nearest } from '../../../../shared/nearest'
import type { SkillList, SkillView } from '../../../../shared/configuration/customize/customizations'
import { failed, ok, refuse, type Tool } from '../tool'
import description from './skill.md?raw'
import { cutText } from '../../../../shared/cut-text'

const input = lazySchema(() =>
  z.strictObject({
    skill: z.string().trim().min(1).describe('Its name'),
    args: z.string().optional(),
  }),
)

/** Maximum depth of skills that load skills. */
const MAX_LEVELS = 3

/**
 * A skill that was loaded in this turn. `level`: 1, or one more than the level of the skill whose instructions call for
 * it.
 */
interface LoadedSkill {
  name: string
  level: number
  body: string
}

export interface SkillToolDeps {
  list(): Promise<SkillList>
  body(skill: SkillView, args: string): Promise<string>
  /** Changes with every prompt of the user, which restarts the count of nested skills. */
  turnId(): string | undefined
}

/** Lets the agent load a skill. Offered only when there are skills it may load. */
export function skillTool(deps: SkillToolDeps): Tool<typeof input> {
  let loaded: { turnId: string | undefined; skills: LoadedSkill[] } = { turnId: deps.turnId(), skills: [] }
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
      if (skill.type !== 'inline')
        return refuse(`The skill ${name} is of type ${skill.type}: only the user can start it, with /${name}.`)
      if (!skill.modelInvocation)
        return refuse(`The skill ${name} is kept from being loaded by you: only the user can start it, with /${name}.`)
      if (loaded.turnId !== deps.turnId()) loaded = { turnId: deps.turnId(), skills: [] }
      const { skills: earlier } = loaded
      const chain = chainTo(name, earlier)
      const level = (chain[0]?.level ?? 0) + 1
      if (level > MAX_LEVELS)
        return refuse(
          `Skills are nested ${MAX_LEVELS} deep already: ${chain
            .map((one) => one.name)
            .toReversed()
            .join(' calls for ')} calls for ${name}. Finish with the instructions you have, without loading ${name}.`,
        )
      return {
        summary: args.trim() === '' ? name : cutText(`${name} ${args.trim()}`, 120),
        accesses: [{ kind: 'file', path: skill.path, write: false }],
        async run() {
          try {
            const body = await deps.body(skill, args)
            earlier.push({ name, level, body })
            return ok(`<skill name="${name}" folder="${skill.path.replace(/\/SKILL\.md$/, '')}">\n${body}\n</skill>`)
          } catch (error) {
            return failed(errorText(error))
          }
        },
      }
    },
  }
}

/**
 * The skills that led to this one, nearest first: each is called for by the instructions of the next. Empty if no
 * loaded skill calls for it.
 */
function chainTo(name: string, loaded: readonly LoadedSkill[]): LoadedSkill[] {
  const calling = loaded.filter(({ body }) => callsFor(body, name))
  const [nearestOne] = calling.toSorted((a, b) => b.level - a.level)
  if (!nearestOne) return []
  return [
    nearestOne,
    ...chainTo(
      nearestOne.name,
      loaded.filter(({ level }) => level < nearestOne.level),
    ),
  ]
}

/** Whether instructions refer to this skill: `/name`, "name", the skill name, the name skill. */
function callsFor(body: string, name: string): boolean {
  const escaped = name.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
  return new RegExp(`(?:[/:"'\`]|\\bskills? )${escaped}(?![\\w-])|(?<![\\w-])${escaped}["'\`]? skill\\b`, 'i').test(
    body,
  )
}

function unknown(name: string, skills: readonly SkillView[]): string {
  const names = skills.map((skill) => skill.name)
  const [best] = nearest(name, names, 1)
  const known = names.length === 0 ? 'There are no skills.' : `There are: ${names.slice(0, 50).join(', ')}.`
  return `No skill is named ${name}.${best === undefined ? '' : ` Did you mean ${best}?`} ${known}`
}
