import type { Policy } from '../policy'

/** A tool whose own server says that it can destroy something asks in the mode `auto`, too, unless a rule allows it. */
export const destructiveServerTools: Policy = ({ tool }) =>
  tool.server?.saysDestructive
    ? { decision: 'ask', reason: `The server ${tool.server.name} says that ${tool.server.tool} can destroy something.` }
    : undefined
