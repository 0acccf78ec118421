import { requestName, type ApprovalOption } from '../../../../shared/model/approval'
import { askText, choose, show, showHeading, type Answer, type Asked } from './asking'
import { previewLines } from './preview-lines'
import { oneLine, safeText } from '../screen/safe-text'

/** Lines of a preview that are shown before the person asks for all. */
const MOST_LINES = 40

type Action = { label: string } & (
  | { kind: 'once' | 'reject'; option: ApprovalOption }
  | { kind: 'always'; option: ApprovalOption; scope: 'session' | 'user' }
)

/** May this call run? With the engine's own options; "always" shows word for word what it will cover. */
export async function askApproval(asked: Asked): Promise<Answer> {
  const { approval, agent, terminal, signal } = asked
  const { style } = terminal
  const preview = approval.preview ? previewLines(approval.preview, style) : [oneLine(approval.summary)]
  const who = agent === undefined ? '' : ` (asked by the ${oneLine(agent)} subagent)`
  showHeading(asked, `${oneLine(requestName(approval))}${who}`, approval.reason)
  show(
    asked,
    shortened(preview).map((line) => `  ${line}`),
  )
  const actions = actionsOf(approval.options)
  const isCut = preview.length > MOST_LINES
  for (;;) {
    const key = await choose(
      asked,
      actions.map(({ label }) => label),
      approval.asks ? 'Answer?' : 'Allow?',
      isCut ? [{ key: 'v', label: `Show all ${preview.length} lines` }] : [],
    )
    if (key === undefined) return undefined
    if (key === 'v')
      show(
        asked,
        preview.map((line) => `  ${line}`),
      )
    const action = typeof key === 'number' ? actions[key] : undefined
    const answer = action && (await answerFor(asked, action))
    if (answer || signal.aborted) return answer
  }
}

function actionsOf(options: readonly ApprovalOption[]): Action[] {
  return options.flatMap((option): Action[] => {
    if (option.kind === 'reject_once') return [{ kind: 'reject', label: oneLine(option.name), option }]
    if (option.kind === 'allow_once') return [{ kind: 'once', label: oneLine(option.name), option }]
    return [
      { kind: 'always', label: 'Allow for this session …', option, scope: 'session' },
      { kind: 'always', label: 'Allow always …', option, scope: 'user' },
    ]
  })
}

/** Undefined: the person went back to the options. */
async function answerFor(asked: Asked, action: Action): Promise<Answer> {
  const { optionId } = action.option
  // Reasons are for calls: what asks in the midst of one takes none.
  if (action.kind === 'once' || (action.kind === 'reject' && asked.approval.asks)) return { optionId }
  if (action.kind !== 'always') {
    const feedback = await askText(asked, 'Why? The agent reads it. Enter alone gives no reason, Ctrl-C goes back.')
    return feedback === undefined ? undefined : { optionId, ...(feedback !== '' && { feedback }) }
  }
  const choices = (await asked.choices()).slice(0, 9)
  if (choices.length === 0) {
    show(asked, ['  This is asked every time: there is no rule that would cover it and nothing else.'])
    return undefined
  }
  const { style } = asked.terminal
  const where = action.scope === 'session' ? 'in this session' : 'in all sessions: the rule is appended to your config.toml'
  show(asked, [`  What shall be allowed without asking ${where}?`])
  const key = await choose(
    asked,
    choices.map(({ pattern, label, past }) => {
      const other = past.filter(({ before, after }) => before !== after).length
      const changed = past.length === 0 ? '' : `; ${other} of ${past.length} past commands would have been judged differently`
      return `${safeText(pattern).replaceAll('\n', ' + ')}\n${style.dim(`${oneLine(label)}${changed}`)}`
    }),
    'Which rule?',
    [{ key: '0', label: 'Back' }],
  )
  const choice = typeof key === 'number' ? choices[key] : undefined
  return choice && { optionId, rule: { pattern: choice.pattern, scope: action.scope } }
}

function shortened(lines: readonly string[]): string[] {
  if (lines.length <= MOST_LINES) return [...lines]
  return [...lines.slice(0, MOST_LINES), `… ${lines.length - MOST_LINES} more lines`]
}
