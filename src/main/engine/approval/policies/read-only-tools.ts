import { writesFiles } from '../paths'
import type { Policy } from '../policy'

/**
 * Tools that only read inside the workspace need no approval, unless this call writes; what commands do is judged by itself. Of what a server claims of
 * its tools nobody knows whether it is true.
 */
export const readOnlyTools: Policy = ({ tool, call, part }) =>
  tool.annotations.readOnly && !part && !tool.server && !writesFiles(call)
    ? { decision: 'allow', reason: `${tool.name} only reads.` }
    : undefined
