import type { Policy } from '../policy'

/** Whatever no other policy has an opinion on is asked. */
export const askByDefault: Policy = ({ tool, part, mode }) => ({
  decision: 'ask',
  reason: `${part?.kind === 'redirection' ? 'Writing a file' : (part?.words[0]?.text ?? tool.name)} can change things, and the mode is ${mode === 'ask' ? 'Ask first' : 'Accept edits'}.`,
})
