import type { Policy } from '../policy'

/** Tools that only read inside the workspace need no approval. */
export const readOnlyTools: Policy = ({ tool }) =>
  tool.annotations.readOnly ? { decision: 'allow', reason: `${tool.name} only reads.` } : undefined
