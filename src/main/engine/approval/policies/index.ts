import type { Policy } from '../rules/policy'
import { afterMail, changingMail, savingAttachments, sendingMail } from './after-mail'
import {
  askAlways,
  tellFreely,
  rememberFreely,
  rememberThirdParty,
  scheduleThirdParty,
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
import { allowRules, askRules, changedServerTools, denyRules, hiddenCommands, rememberedForSession } from './rules'

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
