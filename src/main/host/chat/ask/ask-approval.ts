import { plural } from '../../../../shared/language/plural'
import {
  fixedKeys,
  isDangerous,
  REJECT_STOP,
  requestName,
  type Approval,
  type ApprovalOption,
} from '../../../../shared/model/approval/approval'
import {
  askText,
  choose,
  chooseOne,
  showLines,
  showHeading,
  type Answer,
  type ApprovalPrompt,
  previewLines,
} from './ask'
import { oneLine, safeText, wrapText } from '../screen/text-layout'
import { sandboxDescription } from '../../../../shared/configuration/sandbox-text'

/** Preview lines shown initially. */
const MAX_LINES = 40

type Action = { label: string } & (
  | { kind: 'once' | 'reject' | 'stop'; option: ApprovalOption }
  | { kind: 'always'; option: ApprovalOption; scope: 'session' | 'user' }
)

/** The word to type to allow a dangerous call. */
const CONFIRMATION = 'allow'

/**
 * Asks whether a call may run, with the engine's options; "always" shows exactly what it will cover. Allowing requires
 * that the complete preview was shown.
 */
export async function askApproval(asked: ApprovalPrompt): Promise<Answer> {
  const { approval, agent, terminal, signal } = asked
  const { style } = terminal
  const preview = approval.preview ? previewLines(approval.preview, style) : [oneLine(approval.summary)]
  const who = agent === undefined ? '' : ` (asked by the ${oneLine(agent)} subagent)`
  const { reasons } = approval
  showHeading(asked, `${oneLine(requestName(approval))}${who}`, reasons ? '' : approval.reason)
  if (reasons) showLines(asked, reasonLines(asked, reasons))
  showLines(
    asked,
    shortened(preview).map((line) => `  ${line}`),
  )
  const all = actionsOf(approval.options)
  // Running outside the sandbox has its own letter, so that it is never chosen by number.
  const leaving = all.slice(1).find(({ option }) => option.sandbox === 'unrestricted' && option.kind === 'allow_once')
  const stopping = all.find(({ kind }) => kind === 'stop')
  const keys = fixedKeys(approval.options)
  let isCut = preview.length > MAX_LINES
  for (;;) {
    const chosen = await chooseOne<Action | 'all'>(
      asked,
      [
        ...all.flatMap((value) =>
          value === leaving || value === stopping
            ? []
            : [{ label: value.label, value, key: keys.get(value.option.optionId) }],
        ),
        ...(leaving ? [{ key: 'u', label: leaving.label, value: leaving }] : []),
        ...(stopping ? [{ key: 's', label: stopping.label, value: stopping }] : []),
        ...(isCut ? [{ key: 'v', label: `Show all ${preview.length} lines`, value: 'all' as const }] : []),
      ],
      approval.asks ? 'Answer?' : 'Allow?',
    )
    if (chosen === undefined) return undefined
    const action = chosen === 'all' ? undefined : chosen
    const isUnseen = isCut && action !== undefined && action.kind !== 'reject' && action.kind !== 'stop'
    if (!action || isUnseen) {
      showLines(
        asked,
        preview.map((line) => `  ${line}`),
      )
      if (isUnseen) showLines(asked, ['  That was all of it. Choose again.'])
      isCut = false
      continue
    }
    const answer = await answerFor(asked, action)
    if (answer || signal.aborted) return answer
  }
}

function actionsOf(options: readonly ApprovalOption[]): Action[] {
  return options.flatMap((option): Action[] => {
    if (option.optionId === REJECT_STOP) return [{ kind: 'stop', label: oneLine(option.name), option }]
    if (option.kind === 'reject_once') return [{ kind: 'reject', label: oneLine(option.name), option }]
    if (option.kind === 'allow_once') return [{ kind: 'once', label: optionLabel(option), option }]
    return [
      { kind: 'always', label: 'Allow for this session …', option, scope: 'session' },
      { kind: 'always', label: 'Allow always …', option, scope: 'user' },
    ]
  })
}

/** Undefined: the user went back to the options. */
async function answerFor(asked: ApprovalPrompt, action: Action): Promise<Answer> {
  const { optionId } = action.option
  if (action.kind === 'once' && isDangerous(asked.approval)) {
    const typed = await askText(asked, `This is dangerous. Type "${CONFIRMATION}" to allow it. Enter alone goes back.`)
    return typed?.toLowerCase() === CONFIRMATION ? { optionId } : undefined
  }
  // Only rejected calls take a reason, not requests made during a call.
  if (action.kind === 'once' || action.kind === 'stop' || (action.kind === 'reject' && asked.approval.asks))
    return { optionId }
  if (action.kind !== 'always') {
    const feedback = await askText(asked, 'Why? The agent reads it. Enter alone gives no reason, Ctrl-C goes back.')
    return feedback === undefined ? undefined : { optionId, ...(feedback !== '' && { feedback }) }
  }
  const choices = (await asked.choices()).slice(0, 9)
  if (choices.length === 0) {
    showLines(asked, ['  This cannot be allowed permanently.'])
    return undefined
  }
  const { style } = asked.terminal
  const where =
    action.scope === 'session' ? 'in this session' : 'in all sessions: the rule is appended to your config.toml'
  showLines(asked, [`  What should be allowed without asking ${where}?`])
  const key = await choose(
    asked,
    choices.map(({ pattern, label, past }) => {
      const other = past.filter(({ before, after }) => before !== after).length
      const changed =
        past.length === 0 ? '' : `; ${other} of ${past.length} past commands would have been judged differently`
      return `${safeText(pattern).replaceAll('\n', ' + ')}\n${style.dim(`${oneLine(label)}${changed}`)}`
    }),
    'Which rule?',
    [{ key: '0', label: 'Back' }],
  )
  const choice = typeof key === 'number' ? choices[key] : undefined
  return choice && { optionId, rule: { pattern: choice.pattern, scope: action.scope } }
}

/** Each reason on its own lines, dangers in red. */
function reasonLines(
  { terminal: { style, columns } }: ApprovalPrompt,
  reasons: NonNullable<Approval['reasons']>,
): string[] {
  return reasons.flatMap(({ text, part, danger }) => {
    const reason = `${danger ? 'Danger: ' : ''}${part === undefined ? '' : `${oneLine(part)}: `}${oneLine(text)}`
    return wrapText(reason, columns - 4).map(
      (line, index) => `  ${index === 0 ? '-' : ' '} ${danger ? style.red(line) : style.dim(line)}`,
    )
  })
}

function shortened(lines: readonly string[]): string[] {
  if (lines.length <= MAX_LINES) return [...lines]
  return [
    ...lines.slice(0, MAX_LINES),
    `… ${lines.length - MAX_LINES} ${plural(lines.length - MAX_LINES, 'more line')}`,
  ]
}

/**
 * Asks about an access that a command's sandbox blocked, with the engine's options unchanged: none of them is a rule.
 */
export async function askSandbox(asked: ApprovalPrompt): Promise<Answer> {
  const { approval, agent, terminal } = asked
  const who = agent === undefined ? '' : ` (asked by the ${oneLine(agent)} subagent)`
  showHeading(asked, `${requestName(approval)}${who}`, approval.reason)
  const preview = approval.preview ? previewLines(approval.preview, terminal.style) : [oneLine(approval.summary)]
  showLines(
    asked,
    preview.map((line) => `  ${line}`),
  )
  const keys = fixedKeys(approval.options)
  const choices = approval.options.map((value) => ({ label: optionLabel(value), value, key: keys.get(value.optionId) }))
  const option = await chooseOne(asked, choices, 'Answer?')
  return option && { optionId: option.optionId }
}

/** The name of an option, and what a command can do with it. */
function optionLabel({ name, sandbox, network }: ApprovalOption): string {
  return sandbox === undefined ? oneLine(name) : `${oneLine(name)}\n${sandboxDescription({ level: sandbox, network })}`
}

/** Asks about the agent's plan: approve it (or one of its alternatives), request changes, or reject it. */
export async function reviewPlan(asked: ApprovalPrompt): Promise<Answer> {
  const { approval, terminal } = asked
  const { style } = terminal
  const { preview } = approval
  const plan = preview?.kind === 'plan' ? preview : undefined
  showHeading(asked, plan && plan.revision > 1 ? `Plan, revision ${plan.revision}` : 'Plan', approval.reason)
  showLines(asked, [...(preview ? previewLines(preview, style).map((line) => `  ${line}`) : []), ''])
  const keys = fixedKeys(approval.options)
  const ways = new Map((plan?.alternatives ?? []).map(({ label, description }) => [`Approve: ${label}`, description]))
  for (;;) {
    const option = await chooseOne(
      asked,
      approval.options.map((value) => {
        const description = ways.get(value.name) ?? ''
        const label = `${oneLine(value.name)}${description === '' ? '' : `  ${style.dim(oneLine(description))}`}`
        return { label, value, key: keys.get(value.optionId) }
      }),
      'The plan?',
    )
    if (!option) return undefined
    const { optionId } = option
    if (option.kind !== 'reject_once') return { optionId }
    const isRevision = optionId === 'revise'
    const feedback = await askText(
      asked,
      isRevision
        ? 'What should change? Ctrl-C goes back.'
        : 'Why? The agent reads it. Enter alone gives no reason, Ctrl-C goes back.',
    )
    if (asked.signal.aborted) return undefined
    if (feedback !== undefined && (feedback !== '' || !isRevision))
      return { optionId, ...(feedback !== '' && { feedback }) }
  }
}
