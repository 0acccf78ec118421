import type { Policy } from '../policy'

/** The mode `auto` asks nothing. */
export const autoMode: Policy = ({ mode }) =>
  mode === 'auto' ? { decision: 'allow', reason: 'The mode is auto: nothing asks.' } : undefined
