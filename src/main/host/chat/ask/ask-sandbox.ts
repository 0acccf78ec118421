import { fixedKeys, requestName, type ApprovalOption } from '../../../../shared/model/approval'
import { sandboxMeaning } from '../../../../shared/model/sandbox-words'
import { oneLine } from '../screen/safe-text'
import { chooseOne, show, showHeading, type Answer, type Asked } from './asking'
import { previewLines } from './preview-lines'

/** The sandbox of a command refused something: may it have that? With the engine's options as they are: none of them is a rule to choose. */
export async function askSandbox(asked: Asked): Promise<Answer> {
  const { approval, agent, terminal } = asked
  const who = agent === undefined ? '' : ` (asked by the ${oneLine(agent)} subagent)`
  showHeading(asked, `${requestName(approval)}${who}`, approval.reason)
  const preview = approval.preview ? previewLines(approval.preview, terminal.style) : [oneLine(approval.summary)]
  show(
    asked,
    preview.map((line) => `  ${line}`),
  )
  const keys = fixedKeys(approval.options)
  const choices = approval.options.map((value) => ({ label: optionLabel(value), value, key: keys.get(value.optionId) }))
  const option = await chooseOne(asked, choices, 'Answer?')
  return option && { optionId: option.optionId }
}

/** What an option is called, and what a command can do where it runs then. */
export function optionLabel({ name, sandbox, network }: ApprovalOption): string {
  return sandbox === undefined ? oneLine(name) : `${oneLine(name)}\n${sandboxMeaning({ level: sandbox, network })}`
}
