import type { Policy } from '../policy'

/** The mode `auto` allows whatever no stricter policy before it has an opinion on. */
export const autoMode: Policy = ({ mode }) => (mode === 'auto' ? { decision: 'allow', reason: 'The mode is auto.' } : undefined)
