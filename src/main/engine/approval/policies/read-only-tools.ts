import type { Policy } from '../policy'

/** Tools that only read inside the workspace need no approval; what commands do is judged by itself. Of what a server claims of its tools nobody knows whether it is true. */
export const readOnlyTools: Policy = ({ tool, part }) =>
  tool.annotations.readOnly && !part && !tool.server ? { decision: 'allow', reason: `${tool.name} only reads.` } : undefined
