import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import type { SkillList } from '../model/skill'

export const skillContract = {
  /** The skills a project can use, hidden ones included, and what is wrong with others. Looked up anew at each call. */
  list: oc.input(z.strictObject({ folder: z.string().min(1) })).output(type<SkillList>()),
}
