import type { CommandSandbox } from '../../../../shared/model/task/sandbox'
import { writesFiles, type JudgedCall, type Policy, type Verdict } from '../rules/policy'
import { commandNeeds } from './sandbox-verdict'

const AFTER_MAIL = 'This conversation contains mail, and a message could ask the agent to pass on what it has read'
/** Tools that send text off the machine, or beyond this conversation. */
const SENDS: Readonly<Record<string, string>> = {
  OpenURL: 'opens an address',
  CreateCalendarEvent: 'hands over an event',
  MailDraft: 'stores a message on the mail server',
  ScheduleCreate: 'starts later runs that do not know about this conversation',
  ScheduleUpdate: 'changes later runs that do not know about this conversation',
}
/** These tools read from the mail server that the mail came from. */
const READS_MAIL = new Set(['MailRead', 'MailSearch'])

/** A message is sent only after the user has seen it: no mode, rule or earlier answer covers this. */
export const sendingMail: Policy = ({ tool }) =>
  tool.name === 'MailSend' && !tool.server
    ? { decision: 'ask', reason: 'Sending a message cannot be undone.', everyTime: true }
    : undefined

/** An attachment can be anything, so saving one always needs the user's approval, in every mode; no rule covers it. */
export const savingAttachments: Policy = ({ tool, call }) =>
  tool.name === 'MailRead' && !tool.server && writesFiles(call)
    ? { decision: 'ask', reason: 'It saves an attachment, which others have written.', everyTime: true }
    : undefined

/** Messages are moved and marked without asking only if a rule allows it: a message could ask to hide another one. */
export const changingMail: Policy = ({ tool }) =>
  (tool.name === 'MailMove' || tool.name === 'MailFlag') && !tool.server
    ? { decision: 'ask', reason: 'It changes your mailbox.' }
    : undefined

/**
 * After mail was read, anything that leaves the machine asks every time, in every mode; no rule covers it. Commands are
 * judged as a whole: see `commandAfterMail`.
 */
export const afterMail: Policy = (judged) => {
  if (judged.parts) return undefined
  const what = whatItSends(judged)
  return what === undefined || !judged.hasReadMail?.() ? undefined : askVerdict(what)
}

function whatItSends({ tool, call }: JudgedCall): string | undefined {
  if (!tool.server && READS_MAIL.has(tool.name)) return undefined
  const named = tool.server ? undefined : SENDS[tool.name]
  if (named !== undefined) return named
  for (const access of call.accesses) {
    if (access.kind === 'network') return `connects to ${access.host}`
    if (access.kind === 'command') return 'runs a command'
    if (access.kind === 'server' && (!access.local || tool.annotations.openWorld))
      return `calls the server ${access.server}`
  }
  if (tool.server) return `calls the server ${tool.server.name}`
  return tool.annotations.openWorld ? 'connects to other machines' : undefined
}

/**
 * The verdict on a whole command after mail was read: it runs without asking only in a sandbox that has no network. In
 * auto mode, whose sandbox can reach the listed hosts, a command that needs no network runs without one.
 */
export function commandAfterMail(judged: JudgedCall, verdict: Verdict): Verdict {
  if (verdict.decision === 'deny' || !judged.hasReadMail?.()) return verdict
  const { sandbox } = verdict
  if (verdict.decision === 'ask') {
    const reason = sandbox?.network === 'none' ? verdict.reason : `${verdict.reason} ${AFTER_MAIL}.`
    return { ...verdict, reason, everyTime: true }
  }
  const reached = (judged.sandboxes?.openedHosts.length ?? 0) > 0
  if (!sandbox || sandbox.level === 'unrestricted' || reached)
    return { ...askVerdict('runs a command that can reach the network'), ...(sandbox && { sandbox }) }
  if (sandbox.network === 'none') return verdict
  if (commandNeeds(judged.parts ?? []).network !== 'none')
    return { ...askVerdict('runs a command that uses the network'), sandbox }
  const offline: CommandSandbox = { ...sandbox, network: 'none' }
  return { ...verdict, reason: 'Runs in the sandbox without a network, because mail was read.', sandbox: offline }
}

function askVerdict(what: string): Verdict {
  return { decision: 'ask', reason: `It ${what}. ${AFTER_MAIL}.`, everyTime: true }
}
