import { sentence } from '../../../../shared/error-text'
import {
  RULE_DECISIONS,
  TESTED_TOOLS,
  type RuleTest,
  type RuleView,
} from '../../../../shared/configuration/customize/rules'
import { SESSION_MODES } from '../../../../shared/model/approval/approval'
import { CodedError } from '../../../../shared/errors'
import { errorAsJson } from '../../../console/report'
import { refuseAgents } from '../../../console/parse-action'
import { UsageError, type Parsed } from '../../../console/parse-command'
import { openConfig } from '../../../engine/config/config'
import { createEditedFiles } from '../../../engine/customize/edited-files'
import { createRuleActions, type RuleActions } from '../../../engine/customize/rule-actions'
import { agentTrace } from '../../../engine/runtime/agent-trace'
import { createTrust } from '../../../engine/trust/create-trust'

/** The actions of `trestle permission` that concern rules. */
export const RULE_ACTIONS = ['list', 'add', 'remove', 'test'] as const
type RuleAction = (typeof RULE_ACTIONS)[number]

/**
 * `trestle permission list|add|remove|test`: the rules of the user and of a project. Returns 0; 1 when the change or
 * the test was refused; 2 when an agent's command requests a change.
 */
export async function permissionRulesMain(
  action: RuleAction,
  words: readonly string[],
  { values }: Parsed,
  { folder, home }: { folder: string; home: string },
): Promise<number> {
  const isJson = values['json'] === true
  const change = action === 'add' || action === 'remove' ? ruleOf(action, words) : undefined
  const call = action === 'test' ? callOf(words, values) : undefined
  if (action === 'list' && words.length > 0) throw new UsageError('list takes no argument.', 'permission')
  if (change && (await refuseAgents('changing permission rules'))) return 2
  const config = await openConfig({ home })
  try {
    const rules = createRuleActions({
      home,
      settings: () => config.settings,
      files: createEditedFiles({
        home,
        config,
        agentTrace: () => agentTrace({ home }),
        trust: createTrust({
          home,
          now: Date.now,
          notify: () => undefined,
          describeServers: async (...file) =>
            (await import('../../../engine/mcp/config/describe-server')).describeServerFile(...file),
        }),
      }),
    })
    const scope = values['project'] === true ? 'project' : 'user'
    if (action === 'list') return print(isJson, await rules.list(folder), listText)
    if (call) return print(isJson, await rules.test(folder, call, modeOf(values)), testText)
    if (action === 'add') await rules.add(folder, scope, { ...change!, ...unrestricted(values) })
    else await remove(rules, folder, scope, change!)
    const { decision, pattern } = change!
    return print(
      isJson,
      await rules.list(folder),
      () => `${action === 'add' ? 'Added' : 'Removed'}: ${decision} ${pattern}\n`,
    )
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    if (isJson) process.stdout.write(errorAsJson(error))
    process.stderr.write(`trestle: ${sentence(error.message)} ${error.failure.advice}\n`)
    return 1
  } finally {
    config.close()
  }
}

type Rule = Pick<RuleView, 'decision' | 'pattern'>

async function remove(rules: RuleActions, folder: string, scope: RuleView['scope'], rule: Rule): Promise<void> {
  const found = (await rules.list(folder)).rules.find(
    (one) => one.scope === scope && one.decision === rule.decision && one.pattern === rule.pattern,
  )
  if (!found)
    throw new CodedError('customize.not_found', `There is no rule ${rule.decision} ${rule.pattern} of this scope.`)
  await rules.remove(folder, found)
}

function ruleOf(action: RuleAction, words: readonly string[]): Rule {
  const [word, pattern] = words
  const decision = RULE_DECISIONS.find((one) => one === word)
  if (!decision || pattern === undefined || words.length > 2)
    throw new UsageError(
      `${action} takes ${RULE_DECISIONS.join(', ')} and a pattern: ` +
        `trestle permission ${action} allow "Bash(npm test)".`,
      'permission',
    )
  return { decision, pattern }
}

function callOf(words: readonly string[], values: Parsed['values']): Parameters<RuleActions['test']>[1] {
  const [text] = words
  if (text === undefined || text.trim() === '' || words.length > 1)
    throw new UsageError('test takes one command in quotes, or a path with --tool.', 'permission')
  const tool = TESTED_TOOLS.find((one) => one === values['tool'])
  return tool ? { tool, target: text } : { command: text }
}

function modeOf(values: Parsed['values']) {
  return SESSION_MODES.find((mode) => mode === values['mode']) ?? 'ask'
}

function unrestricted(values: Parsed['values']): { sandbox?: 'unrestricted' } {
  return values['unrestricted'] === true ? { sandbox: 'unrestricted' } : {}
}

function print<Result>(isJson: boolean, result: Result, text: (result: Result) => string): number {
  process.stdout.write(isJson ? `${JSON.stringify(result)}\n` : text(result))
  return 0
}

function listText({ rules }: { rules: readonly RuleView[] }): string {
  if (rules.length === 0) return 'No rules. Add one: trestle permission add allow "Bash(npm test)"\n'
  return rules
    .map((rule) => {
      const place = rule.line === undefined ? rule.file : `${rule.file}:${rule.line}`
      const state = rule.isOff ? ' (off: the folder is not trusted)' : ''
      return (
        `${rule.decision.padEnd(5)} ${rule.pattern}${state}\n` +
        `      ${rule.mistake ?? rule.explanation}\n      ${place}\n`
      )
    })
    .join('')
}

const VERDICTS = { allow: 'Allowed', ask: 'Asks', deny: 'Denied' } as const

function testText({ verdict, reason, decidedBy, mode, parts, note }: RuleTest): string {
  const lines = [
    `${VERDICTS[verdict]} in the mode ${mode}. ${reason}`,
    `Decided by ${decidedBy}.`,
    ...(parts.length > 1
      ? parts.map((part) => `  ${VERDICTS[part.verdict].padEnd(7)} ${part.text}\n          ${part.reason}`)
      : []),
    ...(note === undefined ? [] : [note]),
  ]
  return `${lines.join('\n')}\n`
}
