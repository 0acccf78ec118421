import type { Policy } from '../policy'

/** Whatever no other policy has an opinion on is asked. */
export const askByDefault: Policy = ({ tool, mode }) => ({
  decision: 'ask',
  reason: `${tool.name} can change things, and the mode is ${mode === 'ask' ? 'Ask first' : 'Accept edits'}.`,
})
