import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import type { AgentList } from '../model/agent'

export const agentContract = {
  /** The agent specs that a project can use, hidden ones included, and what is wrong with others. Looked up anew at each call. */
  list: oc.input(z.strictObject({ folder: z.string().min(1) })).output(type<AgentList>()),
}
