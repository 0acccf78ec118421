import type { Policy } from '../rules/policy'
import { afterMail, changingMail, savingAttachments, sendingMail } from './after-mail'
import { askAlways, tellFreely } from './ask-always'
import {
  dangerous,
  outsideWorkspace,
  sensitiveReads,
  sensitiveRedirection,
  trestleHome,
  webAddresses,
} from './boundaries'
import {
  acceptEdits,
  askByDefault,
  autoMode,
  destructiveServerTools,
  planMode,
  readOnlyAgent,
  readOnlyCommands,
  readOnlyTools,
} from './modes'
import { rememberFreely, rememberThirdParty, scheduleThirdParty } from './remember'
import { allowRules, askRules, changedServerTools, denyRules, hiddenCommands, rememberedForSession } from './rules'

/** How people are told which policy decided, to follow "Decided by". */
const NAMES = new Map<Policy, string>([
  [readOnlyAgent, 'the read-only agent'],
  [denyRules, 'a deny rule'],
  [planMode, 'plan mode'],
  [trestleHome, "the protection of Trestle's own files"],
  [sensitiveRedirection, 'the protection of sensitive files'],
  [dangerous, 'the check for dangerous actions'],
  [sensitiveReads, 'the protection of sensitive files'],
  [sendingMail, 'the mail check'],
  [savingAttachments, 'the mail check'],
  [afterMail, 'the mail check'],
  [changingMail, 'the mail check'],
  [rememberThirdParty, 'the memory check'],
  [rememberFreely, 'the memory check'],
  [scheduleThirdParty, 'the schedule check'],
  [askAlways, 'the list of tools that always ask'],
  [askRules, 'an ask rule'],
  [changedServerTools, 'the check for changed tools of a server'],
  [rememberedForSession, 'what you allowed for the session'],
  [hiddenCommands, 'the check for hidden commands'],
  [allowRules, 'an allow rule'],
  [outsideWorkspace, 'the boundary of the project folder'],
  [webAddresses, 'the check of web addresses'],
  [readOnlyTools, 'the list of tools that only read'],
  [tellFreely, 'the list of tools that only tell you something'],
  [readOnlyCommands, 'the list of commands that only read'],
  [acceptEdits, 'the permission mode Accept edits'],
  [destructiveServerTools, 'the check for tools of servers'],
  [autoMode, 'the permission mode Auto'],
  [askByDefault, 'the permission mode'],
])

/** The name of a policy; without one, the time limit decided. */
export function policyName(policy: Policy | undefined): string {
  return (policy && NAMES.get(policy)) ?? 'the time limit for checks'
}
