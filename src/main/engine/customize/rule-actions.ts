import { homedir } from 'node:os'
import { realpathSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import type {
  EditScope,
  RuleDecision,
  RuleList,
  RulePlace,
  RuleTest,
  RuleView,
  Undoable,
} from '../../../shared/configuration/customize/rules'
import type { SessionMode } from '../../../shared/model/approval/approval'
import { CodedError } from '../../../shared/errors'
import type { TestedCall } from '../approval/explain-call'
import type { Settings } from '../config/settings/settings'
import type { TableListEdit } from '../config/toml/edit-table-list'
import { explainRule } from '../permission/explain-rule'
import { parsePattern, type PermissionRule } from '../permission/permission-rule'
import { createSandboxes } from '../sandbox/create-sandboxes'
import { probeSandboxSupport } from '../sandbox/sandbox-support'
import { projectSettings, readProjectConfig } from '../trust/project-settings'
import { commandSandboxes } from '../turn/session/session-sandboxes'
import type { EditedFiles } from './edited-files'

/** A rule as entered by the user. */
export interface RuleInput {
  decision: RuleDecision
  pattern: string
  sandbox?: 'unrestricted' | undefined
}

/** The user's changes to permission rules. Folders are passed as the user entered them. */
export interface RuleActions {
  list(folder: string): Promise<RuleList>
  /** Explains what a rule would do, or what is wrong with it. */
  explain(rule: RuleInput): { explanation: string } | { mistake: string }
  add(folder: string, scope: EditScope, rule: RuleInput): Promise<Undoable>
  change(folder: string, place: RulePlace, rule: RuleInput): Promise<Undoable>
  remove(folder: string, place: RulePlace): Promise<Undoable>
  /** Moves a rule to another position in its file. The order has no effect; it is only for readability. */
  move(folder: string, place: RulePlace, to: number): Promise<Undoable>
  /** What the gate would decide about a call, without effects. */
  test(folder: string, call: TestedCall, mode: SessionMode): Promise<RuleTest>
}

export interface RuleActionsDeps {
  home: string
  settings(): Settings
  files: EditedFiles
}

const LIST = ['permission', 'rules'] as const

/** See `RuleActions`. */
export function createRuleActions({ home, settings, files }: RuleActionsDeps): RuleActions {
  async function rulesIn(folder: string): Promise<{ rules: RuleView[]; trust: RuleList['trust'] }> {
    const { state, files: own } = files.trustOf(folder)
    const configs = await Promise.all(
      own
        .filter(({ kind }) => kind === 'rules')
        .map(({ text, file, problem }) => readProjectConfig(text, file, problem)),
    )
    return {
      rules: [
        ...settings().permission.rules.map((rule) => viewOf(rule)),
        ...configs.flatMap(({ rules }) => rules.map((rule) => viewOf(rule, state !== 'trusted'))),
      ],
      trust: state,
    }
  }

  async function edit(
    given: string,
    { scope, index, decision, pattern }: RulePlace,
    change: Exclude<TableListEdit, { kind: 'add' }>,
  ): Promise<Undoable> {
    const folder = await realFolder(given)
    const place = await files.placeOf(scope, folder)
    const { rules } = await rulesIn(folder)
    const found = rules.find((rule) => rule.scope === scope && rule.index === index)
    if (!found || found.decision !== decision || found.pattern !== pattern)
      throw new CodedError('customize.changed', `The rule ${decision} ${pattern} is no longer where it was.`)
    const { editTableList } = await import('../config/toml/edit-table-list')
    // The settings may be out of date. An invalid rule may be shown with a decision that is not in the file.
    const isMeant = (rule: Readonly<Record<string, unknown>>): boolean =>
      found.mistake === undefined
        ? rule['pattern'] === pattern && rule['decision'] === decision
        : (typeof rule['pattern'] === 'string' ? rule['pattern'] : '') === pattern
    return files.changeConfig(place, (text) => editTableList(text, LIST, { ...change, isMeant }))
  }

  return {
    async list(given) {
      const folder = await realFolder(given)
      const { rules, trust } = await rulesIn(folder)
      const project = files.configFile({ scope: 'project', folder })
      return {
        rules,
        trust,
        files: { user: files.configFile({ scope: 'user' })!, ...(project !== undefined && { project }) },
      }
    },
    explain(rule) {
      const parsed = parsePattern(rule.pattern)
      return 'mistake' in parsed
        ? { mistake: mistakeText(parsed.mistake) }
        : { explanation: explainRule({ ...rule, ...known(rule) }) }
    },
    async add(given, scope, rule) {
      requireReadable(rule)
      const folder = await realFolder(given)
      const place = await files.placeOf(scope, folder)
      const { rules } = await rulesIn(folder)
      if (rules.some((one) => one.scope === scope && one.decision === rule.decision && one.pattern === rule.pattern))
        throw new CodedError('customize.taken', `There already is a rule ${rule.decision} ${rule.pattern}.`)
      const { editTableList } = await import('../config/toml/edit-table-list')
      const values = { decision: rule.decision, pattern: rule.pattern, sandbox: rule.sandbox }
      return files.changeConfig(place, (text) => editTableList(text, LIST, { kind: 'add', values }))
    },
    change(folder, place, rule) {
      requireReadable(rule)
      const values = { decision: rule.decision, pattern: rule.pattern, sandbox: rule.sandbox }
      return edit(folder, place, { kind: 'change', index: place.index, values })
    },
    remove: (folder, place) => edit(folder, place, { kind: 'remove', index: place.index }),
    move: (folder, place, to) => edit(folder, place, { kind: 'move', index: place.index, to }),
    async test(given, call, mode) {
      const folder = await realFolder(given)
      if ('tool' in call && call.tool === 'FetchURL' && !/^https?:\/\/./i.test(call.target))
        throw new CodedError('customize.invalid', 'The address must begin with https:// or http://.')
      const { settings: here, trust } = await projectSettings(folder, settings(), home)
      await probeSandboxSupport()
      const { explainCall } = await import('../approval/explain-call')
      const result = await explainCall(call, {
        rules: here.permission.rules,
        mode,
        cwd: folder,
        home,
        sandboxes: sandboxesFor(here, folder, home),
      })
      const isLeftOut = trust.state !== 'trusted' && trust.state !== 'nothing'
      return {
        ...result,
        ...(isLeftOut && {
          note: 'The project has settings of its own that you have not trusted, so its rules that allow are left out.',
        }),
      }
    },
  }
}

/** The sandboxes that this machine could provide for a session's commands in this folder. */
export function sandboxesFor({ sandbox, web }: Settings, root: string, home: string) {
  const userHome = realpathSync(homedir())
  const allowed = { write: [], read: [], hosts: [] }
  const source = { rootId: 'check', root, addedFolders: [], allowed, settings: sandbox, webHosts: web.allowedHosts }
  return commandSandboxes(createSandboxes({ home, userHome }), source, userHome)
}

async function realFolder(given: string): Promise<string> {
  return realpath(given).catch(() => {
    throw new CodedError('customize.invalid', `There is no folder ${given}.`)
  })
}

function requireReadable({ pattern }: RuleInput): void {
  const parsed = parsePattern(pattern)
  if ('mistake' in parsed) throw new CodedError('customize.invalid', mistakeText(parsed.mistake))
}

function mistakeText(mistake: string): string {
  return `The pattern ${mistake}${mistake.endsWith('?') ? '' : '.'}`
}

function known({ sandbox }: RuleInput): Pick<PermissionRule, 'sandbox'> {
  return sandbox === undefined ? {} : { sandbox }
}

function viewOf(rule: PermissionRule, isOff = false): RuleView {
  const { decision, pattern, sandbox, scope, file, line, index, mistake } = rule
  return {
    decision,
    pattern,
    scope: scope === 'project' ? 'project' : 'user',
    file,
    index,
    explanation: explainRule(rule),
    ...(sandbox && { sandbox }),
    ...(line !== undefined && { line }),
    ...(mistake !== undefined && { mistake }),
    ...(isOff && { isOff: true as const }),
  }
}
