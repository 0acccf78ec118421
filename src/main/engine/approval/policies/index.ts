import type { Policy } from '../rules/policy'
import { afterMail, changingMail, savingAttachments, sendingMail } from './after-mail'
import { askAlways, tellFreely } from './ask-always'
import { rememberFreely, rememberThirdParty, scheduleThirdParty } from './remember'
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
import { allowRules, askRules, changedServerTools, denyRules, hiddenCommands, rememberedForSession } from './rules'
import {
  dangerous,
  outsideWorkspace,
  sensitiveReads,
  sensitiveRedirection,
  trestleHome,
  webAddresses,
} from './boundaries'

/** The order is the precedence: the first policy with an opinion decides, the last one always has one. */
export const POLICIES: readonly Policy[] = [
  readOnlyAgent,
  denyRules,
  planMode,
  trestleHome,
  sensitiveRedirection,
  dangerous,
  sensitiveReads,
  sendingMail,
  savingAttachments,
  afterMail,
  rememberThirdParty,
  scheduleThirdParty,
  askAlways,
  askRules,
  changedServerTools,
  rememberedForSession,
  hiddenCommands,
  allowRules,
  outsideWorkspace,
  webAddresses,
  readOnlyTools,
  rememberFreely,
  tellFreely,
  readOnlyCommands,
  changingMail,
  acceptEdits,
  destructiveServerTools,
  autoMode,
  askByDefault,
]
