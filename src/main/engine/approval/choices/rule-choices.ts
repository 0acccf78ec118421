import type { RuleChoice } from '../../../../shared/model/approval/approval'
import { judge } from '../policies/judge'
import type { JudgedCall, Policy, Verdict } from '../rules/policy'
import { sessionRules } from '../../permission/permission-rule'
import type { RuleOffer } from './rule-offers'
import type { RecordedEvent } from '../../../../shared/events/event'
import { textOf } from '../../../../shared/model/turn/message'
import { toolLabel } from '../../../../shared/tool-label'
import { inspectCommand } from '../command/inspect-command'

/** Maximum number of past calls shown with a choice; older ones are left out. */
const MAX_PAST = 50

/**
 * The offers, each with what it would have decided about the session's past calls under the policies that judge every
 * call.
 */
export async function ruleChoices(
  policies: readonly Policy[],
  offers: readonly RuleOffer[],
  current: JudgedCall,
  past: readonly PastCall[],
): Promise<RuleChoice[]> {
  const seen = new Set<string>()
  const calls: JudgedPastCall[] = []
  for (const call of past) {
    if (calls.length >= MAX_PAST) break
    const judged = await judgePastCall(call, current)
    if (!judged || seen.has(judged.command)) continue
    seen.add(judged.command)
    calls.push(judged)
  }
  return offers.map(({ pattern, label }) => {
    const rules = [...current.rules, ...sessionRules(pattern.split('\n'))]
    return {
      pattern,
      label,
      past: calls.map(({ command, before, judged }) => ({
        command,
        before,
        after: judge(policies, { ...judged, rules }).decision,
      })),
    }
  })
}

/** A call that the session made, with the decision made then. */
export interface PastCall {
  tool: string
  /** The model's input, as JSON. */
  input: string
  summary: string
  before: Verdict['decision']
}

/** The verdict on a past call under the current rules. */
export interface JudgedPastCall {
  command: string
  before: Verdict['decision']
  judged: JudgedCall
}

/** The calls in a range of the log, newest first, except those whose approval is pending. */
export function pastCalls(events: readonly RecordedEvent[]): PastCall[] {
  const asked = new Set(events.flatMap((event) => (event.type === 'approval.requested' ? [event.approval.callId] : [])))
  const waiting = new Set(asked)
  for (const event of events) if (event.type === 'approval.resolved') waiting.delete(event.callId)
  const denied = new Set(
    events.flatMap((event) =>
      event.type === 'tool.finished' && event.isError && textOf(event.content).startsWith('Denied:')
        ? [event.callId]
        : [],
    ),
  )
  return events
    .flatMap((event): PastCall[] => {
      if (event.type !== 'tool.started' || event.summary === '' || waiting.has(event.callId)) return []
      const before = asked.has(event.callId) ? 'ask' : denied.has(event.callId) ? 'deny' : 'allow'
      return [{ tool: event.name, input: event.input, summary: event.summary, before }]
    })
    .toReversed()
}

/** A past call as it would be judged now if it is of the same kind as the current call; undefined otherwise. */
export async function judgePastCall(past: PastCall, current: JudgedCall): Promise<JudgedPastCall | undefined> {
  const { workspace, tool } = current
  const input = fields(past.input)
  if (current.parts) {
    const command = input['command']
    if (past.tool !== tool.name || command === undefined) return undefined
    const cwd = input['cwd'] === undefined ? workspace.root : (await workspace.resolve(input['cwd'])).realPath
    const parts = await inspectCommand(command, cwd, workspace)
    return {
      command,
      before: past.before,
      judged: { ...current, parts, call: { ...current.call, accesses: [{ kind: 'command', command, cwd }] } },
    }
  }
  const [access] = current.call.accesses
  if (access?.kind === 'file' || access?.kind === 'tree') {
    const path = input['path'] ?? (access.kind === 'tree' ? '.' : undefined)
    if (path === undefined || isWriting(past.tool) !== access.write) return undefined
    const { realPath, path: written } = await workspace.resolve(path)
    const call = { ...current.call, accesses: [{ ...access, path: realPath, written }] }
    return {
      command: `${past.tool} ${past.summary}`,
      before: past.before,
      judged: { ...current, tool: { ...tool, name: past.tool }, call },
    }
  }
  if (
    past.tool.split('__')[1] !== tool.name.split('__')[1] ||
    (!tool.name.startsWith('mcp__') && past.tool !== tool.name)
  )
    return undefined
  return {
    command: `${toolLabel(past.tool)} ${past.summary}`,
    before: past.before,
    judged: { ...current, tool: { ...tool, name: past.tool } },
  }
}

function isWriting(tool: string): boolean {
  return ['Write', 'Edit', 'Patch', 'apply_patch'].includes(tool)
}

/** The strings in a call's arguments. */
function fields(input: string): Record<string, string | undefined> {
  try {
    const value: unknown = JSON.parse(input)
    if (typeof value !== 'object' || value === null) return {}
    return Object.fromEntries(
      Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    )
  } catch {
    return {}
  }
}
