import { realpath } from 'node:fs/promises'
import type { HookEvent, HookList, HookRun, HookView } from '../../../shared/configuration/customize/customizations'
import type { EditScope, Undoable } from '../../../shared/configuration/customize/rules'
import { CodedError } from '../../../shared/errors'
import { matcherMistake } from '../config/agent-settings/hook-settings'
import type { TableListEdit, TableValues } from '../config/toml/edit-table-list'
import type { Hooks } from '../hook/hooks'
import type { EditedFiles } from './edited-files'

/** A hook as entered by the user. */
export interface HookInput {
  event: HookEvent
  matcher?: string | undefined
  command: string
  /** Seconds; absent: the default limit. */
  timeoutS?: number | undefined
  /** A project's hook always runs in the sandbox. */
  sandbox?: 'project' | undefined
  isOff?: boolean | undefined
}

/** Identifies a hook by its position and by its content as shown. */
export type HookPlace = Pick<HookView, 'scope' | 'index' | 'event' | 'command'>

/** The user's changes to hooks. */
export interface HookActions {
  list(folder: string): Promise<HookList>
  add(folder: string, scope: EditScope, hook: HookInput): Promise<Undoable>
  change(folder: string, place: HookPlace, hook: HookInput): Promise<Undoable>
  remove(folder: string, place: HookPlace): Promise<Undoable>
  move(folder: string, place: HookPlace, to: number): Promise<Undoable>
  /** Runs it once with sample input. */
  test(folder: string, place: HookPlace): Promise<HookRun>
}

const LIST = ['hooks'] as const
const USUAL_TIMEOUT_S = 30

/** See `HookActions`. */
export function createHookActions({
  files,
  hooks,
}: {
  files: EditedFiles
  hooks: Pick<Hooks, 'list' | 'test'>
}): HookActions {
  async function edit(
    given: string,
    { scope, index, event, command }: HookPlace,
    change: Exclude<TableListEdit, { kind: 'add' }>,
  ): Promise<Undoable> {
    const folder = await realFolder(given)
    const place = await files.placeOf(scope, folder)
    const list = await hooks.list(folder)
    const found = list.hooks.find((hook) => !hook.plugin && hook.scope === scope && hook.index === index)
    if (!found || found.event !== event || found.command !== command)
      throw new CodedError('customize.changed', `The hook on ${event} is no longer where it was.`)
    const { editTableList } = await import('../config/toml/edit-table-list')
    // The list may be out of date.
    const isMeant = (hook: Readonly<Record<string, unknown>>): boolean =>
      hook['event'] === event && hook['command'] === command
    return files.changeConfig(place, (text) => editTableList(text, LIST, { ...change, isMeant }))
  }

  return {
    list: hooks.list,
    async add(given, scope, hook) {
      const values = valuesOf(hook, scope)
      const place = await files.placeOf(scope, await realFolder(given))
      const { editTableList } = await import('../config/toml/edit-table-list')
      return files.changeConfig(place, (text) => editTableList(text, LIST, { kind: 'add', values }))
    },
    change: async (folder, place, hook) =>
      edit(folder, place, { kind: 'change', index: place.index, values: valuesOf(hook, place.scope) }),
    remove: (folder, place) => edit(folder, place, { kind: 'remove', index: place.index }),
    move: (folder, place, to) => edit(folder, place, { kind: 'move', index: place.index, to }),
    async test(given, place) {
      await files.requireUser()
      return hooks.test(await realFolder(given), place)
    },
  }
}

/** The values to write for a hook; throws `customize.invalid` if it could not run. */
function valuesOf({ event, matcher, command, timeoutS, sandbox, isOff }: HookInput, scope: EditScope): TableValues {
  const mistake = matcher === undefined ? undefined : matcherMistake(matcher)
  if (mistake !== undefined) throw new CodedError('customize.invalid', `The matcher ${mistake}.`)
  if (command.trim() === '') throw new CodedError('customize.invalid', 'The hook needs a command.')
  return {
    event,
    matcher: matcher === '' ? undefined : matcher,
    command,
    timeout: timeoutS === USUAL_TIMEOUT_S ? undefined : timeoutS,
    sandbox: scope === 'project' ? undefined : sandbox,
    enabled: isOff ? false : undefined,
  }
}

async function realFolder(given: string): Promise<string> {
  return realpath(given).catch(() => {
    throw new CodedError('customize.invalid', `There is no folder ${given}.`)
  })
}
