import { realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ConfigProblem } from '../../../../shared/configuration/settings'
import type { TrustView } from '../../../../shared/configuration/customize/customizations'
import { LineSplitter } from '../../../engine/mcp/transport/message-reader'
import { UsageError, type Parsed } from '../../../console/parse-command'
import { checkCommand, type CheckContext } from '../../../engine/approval/check-command'
import type { CommandSandboxes } from '../../../engine/approval/rules/policy'
import type { PermissionRule } from '../../../engine/permission/permission-rule'
import { openConfig, readRulesFile } from '../../../engine/config/config'
import { resolveHome } from '../../../engine/config/home'
import { sandboxesFor } from '../../../engine/customize/rule-actions'
import { permissionRulesMain, RULE_ACTIONS } from './permission-rules-main'
import { projectSettings } from '../../../engine/trust/project-settings'

const TRUST_ADVICE = 'Review it with: trestle permission show. Trust it with: trestle permission trust.'

/**
 * `trestle permission`: rules, verdicts on commands, and trust in folders. Returns 0, or 2 when the rules cannot be
 * used.
 */
export async function permissionMain(parsed: Parsed): Promise<number> {
  const { values, positionals } = parsed
  const [action, command] = positionals
  const ruleAction = RULE_ACTIONS.find((one) => one === action)
  if (ruleAction) {
    const at = { folder: folder(typeof values['cwd'] === 'string' ? values['cwd'] : '.'), home: realHome() }
    return permissionRulesMain(ruleAction, positionals.slice(1), parsed, at)
  }
  if (action === 'repositories' || (action === 'untrust' && typeof values['repository'] === 'string')) {
    if (command !== undefined) throw new UsageError(`${action} takes no argument.`, 'permission')
    const { repositoriesMain } = await import('./trust-main')
    const named = typeof values['repository'] === 'string' ? values['repository'] : undefined
    return repositoriesMain(realHome(), {
      json: values['json'] === true,
      ...(action === 'untrust' && { forget: named }),
    })
  }
  if (action === 'trust' || action === 'untrust' || action === 'show') {
    if (command !== undefined)
      throw new UsageError(`${action} takes no argument; name another folder with --cwd.`, 'permission')
    const { trustMain } = await import('./trust-main')
    return trustMain(action, folder(typeof values['cwd'] === 'string' ? values['cwd'] : '.'), realHome())
  }
  if (action !== 'check') {
    throw new UsageError(
      action === undefined
        ? 'Specify an action: trestle permission check "command".'
        : `Unknown "${action}"; there is: list, add, remove, test, check, show, trust, untrust, repositories.`,
      'permission',
    )
  }
  const extra = positionals[2]
  if (extra !== undefined) throw new UsageError(`Unexpected "${extra}". Put the whole command in quotes.`, 'permission')
  const stdin = values['stdin'] === true
  if (stdin === (command !== undefined) || command?.trim() === '')
    throw new UsageError('Give one command, or --stdin for one JSON string a line.', 'permission')
  const cwd = folder(typeof values['cwd'] === 'string' ? values['cwd'] : '.')
  const home = realHome()
  const { rules, problems, untrusted, sandboxes } = await rulesFor(
    typeof values['rules'] === 'string' ? values['rules'] : undefined,
    cwd,
    home,
  )
  if (problems.length > 0) {
    for (const { file, line, column, message } of problems) {
      process.stderr.write(
        `trestle: ${[file, line, column].filter((part) => part !== undefined).join(':')}: ${message}\n`,
      )
    }
    return 2
  }
  const mode = (typeof values['mode'] === 'string' ? values['mode'] : 'ask') as CheckContext['mode']
  const surroundings: CheckContext = { rules, mode, cwd, home, ...(values['sandbox'] !== 'off' && { sandboxes }) }
  const check = async (text: string) => ({
    ...(await checkCommand(text, surroundings)),
    ...(untrusted && { untrusted }),
  })
  if (command !== undefined) {
    process.stdout.write(`${JSON.stringify(await check(command))}\n`)
    return 0
  }
  return checkLines(check)
}

/** Maximum length of a line. */
const MAX_LINE_BYTES = 16 * 1024 * 1024

/**
 * Reads one JSON string per line (ended by LF only) and prints one verdict per line; other lines get an error instead,
 * and the exit code is 2.
 */
async function checkLines(check: (command: string) => Promise<object>): Promise<number> {
  let code = 0
  let lines: (string | undefined)[] = []
  const splitter = new LineSplitter(
    MAX_LINE_BYTES,
    (line) => lines.push(line),
    () => lines.push(undefined),
  )
  const answerLines = async (): Promise<void> => {
    const read = lines
    lines = []
    for (const line of read) {
      if (line?.trim() === '') continue
      const command = line === undefined ? undefined : jsonString(line)
      if (command === undefined) code = 2
      const answer = command === undefined ? { error: 'This line is not a JSON string.' } : await check(command)
      if (!process.stdout.write(`${JSON.stringify(answer)}\n`))
        await new Promise((drained) => process.stdout.once('drain', drained))
    }
  }
  for await (const chunk of process.stdin) {
    splitter.push(chunk as Buffer)
    await answerLines()
  }
  splitter.end()
  await answerLines()
  return code
}

function jsonString(line: string): string | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

interface FoundRules {
  rules: readonly PermissionRule[]
  problems: readonly ConfigProblem[]
  /** Set when the project has rules that are disabled. */
  sandboxes: CommandSandboxes
  untrusted?: { folder: string; state: TrustView['state']; advice: string }
}

/** The rules of one file, or those that apply in the folder: the user's, and the project's if the folder is trusted. */
async function rulesFor(file: string | undefined, cwd: string, home: string): Promise<FoundRules> {
  const config = await openConfig({ home })
  const { settings, problems, trust: standing } = await projectSettings(cwd, config.settings, home)
  config.close()
  const sandboxes = sandboxesFor(settings, cwd, home)
  if (file !== undefined) return { ...(await readRulesFile(resolve(file))), sandboxes }
  const { rules } = settings.permission
  // Other problems in these files do not concern rules.
  const broken = rules.some((rule) => rule.mistake !== undefined)
  const { state } = standing
  return {
    rules,
    sandboxes,
    problems: broken ? [...config.problems, ...problems] : [],
    ...(state !== 'nothing' && state !== 'trusted' && { untrusted: { folder: cwd, state, advice: TRUST_ADVICE } }),
  }
}

function realHome(): string {
  return realpathSync(resolveHome())
}

function folder(path: string): string {
  const absolute = resolve(path)
  if (!statSync(absolute, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`--cwd: there is no folder ${absolute}.`, 'permission')
  return realpathSync(absolute)
}
