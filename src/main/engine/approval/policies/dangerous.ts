import { protectedPath } from '../shell/protected-path'
import type { Policy } from '../policy'

/** What cannot be undone, or changes what others run later, asks in every mode. */
export const dangerous: Policy = ({ call, part, workspace: { paths, userHome } }) => {
  if (part) return part.danger === undefined ? undefined : { decision: 'ask', reason: part.danger, everyTime: true }
  for (const access of call.accesses) {
    if (access.kind !== 'file' || !access.write) continue
    const reason =
      protectedPath(access.path, userHome, paths) ??
      (access.written === undefined ? undefined : protectedPath(access.written, userHome, paths))
    if (reason !== undefined) return { decision: 'ask', reason: `${access.path} is ${reason}.`, everyTime: true }
  }
  return undefined
}
