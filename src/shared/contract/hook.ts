import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import type { HookList } from '../model/hook'

export const hookContract = {
  /** The hooks that count in a folder, those of its project only when it is trusted; and the newest runs in all folders. */
  list: oc.input(z.strictObject({ folder: z.string().min(1) })).output(type<HookList>()),
}
