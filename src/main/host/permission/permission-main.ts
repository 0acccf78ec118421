import { realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { ConfigProblem } from '../../../shared/model/settings'
import { UsageError, type Parsed } from '../../command-line/parse'
import { checkCommand, type CheckSurroundings } from '../../engine/approval/check-command'
import type { PermissionRule } from '../../engine/approval/rules/permission-rule'
import { openConfig } from '../../engine/config/config'
import { resolveHome } from '../../engine/config/home'
import { projectSettings } from '../../engine/config/project-settings'
import { readRulesFile } from '../../engine/config/read-rules-file'

/** `trestle permission check`: prints verdicts as JSON, one a line. Returns 0, or 2 when the rules cannot be used. */
export async function permissionMain({ values, positionals }: Parsed): Promise<number> {
  const [action, command] = positionals
  if (action !== 'check') {
    throw new UsageError(
      action === undefined ? 'Say what to do: trestle permission check "command".' : `Unknown "${action}"; there is: check.`,
      'permission',
    )
  }
  const stdin = values['stdin'] === true
  if (stdin === (command !== undefined)) throw new UsageError('Give one command, or --stdin for one JSON string a line.', 'permission')
  const cwd = folder(typeof values['cwd'] === 'string' ? values['cwd'] : '.')
  const home = realHome()
  const { rules, problems } = await rulesFor(typeof values['rules'] === 'string' ? values['rules'] : undefined, cwd, home)
  if (problems.length > 0) {
    for (const { file, line, column, message } of problems) {
      process.stderr.write(`trestle: ${[file, line, column].filter((part) => part !== undefined).join(':')}: ${message}\n`)
    }
    return 2
  }
  const mode = (typeof values['mode'] === 'string' ? values['mode'] : 'ask') as CheckSurroundings['mode']
  const surroundings: CheckSurroundings = { rules, mode, cwd, home }
  if (command !== undefined) {
    process.stdout.write(`${JSON.stringify(await checkCommand(command, surroundings))}\n`)
    return 0
  }
  return checkLines(surroundings)
}

/** One JSON string a line in, one verdict a line out; a line that is no JSON string gets an error in its place, and the exit code 2. */
async function checkLines(surroundings: CheckSurroundings): Promise<number> {
  let code = 0
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue
    const command = jsonString(line)
    if (command === undefined) code = 2
    const answer = command === undefined ? { error: 'This line is not a JSON string.' } : await checkCommand(command, surroundings)
    if (!process.stdout.write(`${JSON.stringify(answer)}\n`)) await new Promise((drained) => process.stdout.once('drain', drained))
  }
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

/** The rules of one file, or those that hold in the folder: the user's and the project's. */
async function rulesFor(
  file: string | undefined,
  cwd: string,
  home: string,
): Promise<{ rules: readonly PermissionRule[]; problems: readonly ConfigProblem[] }> {
  if (file !== undefined) return readRulesFile(resolve(file))
  const config = await openConfig({ home })
  const project = await projectSettings(cwd, config.settings)
  config.close()
  const { rules } = project.settings.permission
  // Other mistakes in these files are none of the rules' business.
  const broken = rules.some((rule) => rule.mistake !== undefined)
  return { rules, problems: broken ? [...config.problems, ...project.problems] : [] }
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
