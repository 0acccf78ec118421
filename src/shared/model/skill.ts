/** Where a skill was found; a nearer one hides one of the same name further away. */
export type SkillSource = 'project' | 'user' | 'built-in'

/** A skill as it is listed: the folder with a SKILL.md, without its body. */
export interface SkillView {
  name: string
  description: string
  source: SkillSource
  /** Absolute path of its SKILL.md. */
  path: string
  /** `inline`: the agent may load it itself; the others only when the user names them. */
  type: 'inline' | 'prompt' | 'flow'
  /** Whether the agent is kept from loading it by itself. */
  modelInvocation: boolean
  whenToUse?: string
  /** Names of its arguments, in order. */
  arguments: string[]
  /** Path of the nearer skill of the same name that is used instead. */
  hiddenBy?: string
}

/** A SKILL.md that cannot be used, or only in part. Lines count from 1. */
export interface SkillProblem {
  path: string
  line?: number
  message: string
  /** Whether the skill is left out because of it. */
  isFatal: boolean
}

/** All skills of a folder, and what is wrong with some. */
export interface SkillList {
  skills: SkillView[]
  problems: SkillProblem[]
}
