import type { Policy } from '../policy'

/** Tools that only read inside the workspace need no approval; what commands do is judged by itself. */
export const readOnlyTools: Policy = ({ tool, part }) =>
  tool.annotations.readOnly && !part ? { decision: 'allow', reason: `${tool.name} only reads.` } : undefined
