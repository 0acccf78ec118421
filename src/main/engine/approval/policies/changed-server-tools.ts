import type { Policy } from '../policy'

/** A server's tool that is not what it was when it was allowed asks again, whatever allows it: only what the user has read was allowed. */
export const changedServerTools: Policy = ({ tool, toolChange }) =>
  toolChange && tool.server
    ? { decision: 'ask', reason: `The server ${tool.server.name} has changed ${tool.server.tool} since you allowed it.` }
    : undefined
