import type { Policy } from '../policy'

/** In the mode `accept-edits`, changes to files of the workspace run without asking, redirections of commands too; commands still ask. */
export const acceptEdits: Policy = ({ call, part, mode }) => {
  if (mode !== 'accept-edits') return undefined
  const edits = part ? part.kind === 'redirection' : call.accesses.length > 0 && call.accesses.every((access) => access.kind === 'file')
  return edits ? { decision: 'allow', reason: 'The mode accepts edits inside the project.' } : undefined
}
