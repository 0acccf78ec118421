import type { Policy } from '../policy'
import { acceptEdits } from './accept-edits'
import { allowRules } from './allow-rules'
import { askByDefault } from './ask-by-default'
import { askRules } from './ask-rules'
import { autoMode } from './auto-mode'
import { changedServerTools } from './changed-server-tools'
import { dangerous } from './dangerous'
import { denyRules } from './deny-rules'
import { destructiveServerTools } from './destructive-server-tools'
import { hiddenCommands } from './hidden-commands'
import { outsideWorkspace } from './outside-workspace'
import { planMode } from './plan-mode'
import { readOnlyAgent } from './read-only-agent'
import { readOnlyCommands } from './read-only-commands'
import { readOnlyTools } from './read-only-tools'
import { rememberedForSession } from './remembered-for-session'
import { sensitiveReads } from './sensitive-reads'
import { sensitiveRedirection } from './sensitive-redirection'
import { trestleHome } from './trestle-home'
import { webAddresses } from './web-addresses'

/** The order is the precedence: the first policy with an opinion decides, the last one always has one. */
export const POLICIES: readonly Policy[] = [
  readOnlyAgent,
  denyRules,
  planMode,
  trestleHome,
  sensitiveRedirection,
  dangerous,
  sensitiveReads,
  askRules,
  changedServerTools,
  rememberedForSession,
  hiddenCommands,
  allowRules,
  outsideWorkspace,
  webAddresses,
  readOnlyTools,
  readOnlyCommands,
  acceptEdits,
  destructiveServerTools,
  autoMode,
  askByDefault,
]
