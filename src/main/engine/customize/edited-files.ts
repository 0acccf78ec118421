import { randomUUID } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { TrustView } from '../../../shared/configuration/customize/customizations'
import type { EditScope, Undoable } from '../../../shared/configuration/customize/rules'
import { CodedError, failureOf } from '../../../shared/errors'
import { writeFailure } from '../config/write-failure'
import type { Config } from '../config/config'
import { readConfigText } from '../config/read-config-file'
import type { Trust } from '../trust/create-trust'
import { readTrustState, type TrustState } from '../trust/trust-state'
import { atomicWrite } from '../workspace/file/atomic-write'
import { readGuardedText } from '../workspace/guarded-text'
import { errorCode } from '../../../shared/error-text'

/** Where something is stored: for the user, or in the project in `folder` (a real path). */
export type Place = { scope: 'user' } | { scope: 'project'; folder: string }

export interface EditedFilesDeps {
  home: string
  config: Pick<Config, 'file' | 'rewrite'>
  trust: Pick<Trust, 'accept'>
  /** Why this program is assumed to have been started by an agent's command, which must not change anything. */
  agentTrace(): Promise<string | undefined>
  /** Default: the system's clock. */
  now?(): number
}

/**
 * Changes to the user's own files and those of trusted projects, made on the settings page; every change can be undone.
 */
export interface EditedFiles {
  /** Throws `customize.not_user` in a program that an agent's command started. */
  requireUser(): Promise<void>
  /** The place of a scope; throws if a project's configuration may not be changed here. */
  placeOf(scope: EditScope, folder: string): Promise<Place>
  /** Whether a project's configuration applies; `folder` is a real path. */
  trustOf(folder: string): Pick<TrustState, 'state' | 'files'>
  /** The config.toml of the user or the project; undefined if the project's file is the user's own. */
  configFile(place: Place): string | undefined
  /** Changes config.toml, keeping the rest of the file. */
  changeConfig(place: Place, change: (text: string) => string): Promise<Undoable>
  /** Writes a file if its text is still `before` (undefined: no file). */
  write(
    place: Place,
    file: string,
    before: string | undefined,
    text: string | undefined,
    options?: { needsTrust: boolean },
  ): Promise<Undoable>
  /** Moves a folder to the trash in the home, where it stays for 30 days. */
  removeFolder(place: Place, folder: string): Promise<Undoable>
  /** Undoes a change; throws `customize.changed` if the same file or folder was changed again since. */
  undo(undoId: string): Promise<void>
}

const MAX_UNDO = 50
const MAX_BYTES = 4 * 1024 * 1024
const TRASH_MS = 30 * 24 * 3_600_000
/** The states in which a project may be changed: its configuration was accepted, or it has none. */
const EDITABLE: readonly TrustView['state'][] = ['trusted', 'nothing']

/** See `EditedFiles`. */
export function createEditedFiles({ home, config, trust, agentTrace, now = Date.now }: EditedFilesDeps): EditedFiles {
  const undoing = new Map<string, () => Promise<void>>()

  const undoable = (undo: () => Promise<void>): Undoable => {
    const undoId = randomUUID()
    undoing.set(undoId, undo)
    for (const oldest of undoing.keys()) if (undoing.size > MAX_UNDO) undoing.delete(oldest)
    return { undoId }
  }

  /** Keeps a project trusted if nothing changed except through this edit. */
  async function trusted<Result>(
    place: Place,
    file: string,
    text: string | undefined,
    work: () => Promise<Result>,
  ): Promise<Result> {
    if (place.scope === 'user') return work()
    const before = readTrustState(home, place.folder)
    requireTrust(place.folder, before.state)
    const result = await work()
    const after = readTrustState(home, place.folder)
    const expected = new Map(before.files.map((known) => [known.file, known.text]))
    if (text === undefined) expected.delete(file)
    else expected.set(file, text)
    const isAsExpected = after.files.every((found) => expected.get(found.file) === found.text && !found.problem)
    if (after.state === 'changed' || after.state === 'asked')
      if (isAsExpected) await trust.accept(place.folder, after.hash)
    return result
  }

  async function write(
    place: Place,
    file: string,
    before: string | undefined,
    text: string | undefined,
    needsTrust = true,
  ): Promise<void> {
    const keepTrust = needsTrust ? trusted : (...[, , , work]: Parameters<typeof trusted<void>>) => work()
    await keepTrust(place, file, text, async () => {
      if (textAt(place, file) !== before) throw changed(file)
      try {
        if (text === undefined) return rmSync(file, { force: true })
        if (place.scope === 'user') mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
        await atomicWrite(file, Buffer.from(text), {
          exactly: place.scope === 'project',
          made: () => undefined,
          ...(before === undefined && { expect: 'absent' as const }),
          ...(place.scope === 'user' && { mode: 0o600 }),
        })
      } catch (error) {
        throw writeFailure(failureOf(error).message, error)
      }
    })
  }

  /** The text of a file; undefined if it does not exist. */
  function textAt(place: Place, file: string): string | undefined {
    const within = place.scope === 'project' ? { within: place.folder, home } : {}
    const found = readGuardedText(file, { mostBytes: MAX_BYTES, ...within })
    if ('problem' in found) throw new CodedError('config.write_failed', `${file}: ${found.problem}`)
    return 'text' in found ? found.text : undefined
  }

  async function changeOwn(change: (text: string) => string): Promise<Undoable> {
    let before = ''
    let after = ''
    await config.rewrite((text) => {
      before = text
      return (after = change(text))
    })
    return undoable(() =>
      config.rewrite((text) => {
        if (text !== after) throw changed(config.file)
        return before
      }),
    )
  }

  const files: EditedFiles = {
    async requireUser() {
      const trace = await agentTrace()
      if (trace !== undefined)
        throw new CodedError('customize.not_user', `Only you can change what agents may do, but ${trace}.`)
    },
    async placeOf(scope, given) {
      if (scope === 'user') return { scope }
      const folder = await realpath(given).catch(() => given)
      requireTrust(folder, readTrustState(home, folder).state)
      return { scope, folder }
    },
    trustOf: (folder) => readTrustState(home, folder),
    configFile(place) {
      if (place.scope === 'user') return config.file
      const file = join(place.folder, '.trestle', 'config.toml')
      return realOf(file) === realOf(config.file) ? undefined : file
    },
    async changeConfig(place, change) {
      await files.requireUser()
      if (place.scope === 'user') return changeOwn(change)
      const file = files.configFile(place)
      if (file === undefined)
        throw new CodedError('customize.invalid', 'The settings of this folder are your own: change them as yours.')
      const found = readConfigText(file, { within: place.folder, home })
      if ('problem' in found) throw new CodedError('config.write_failed', `${file}: ${found.problem.message}`)
      const before = 'text' in found ? found.text : undefined
      const after = change(before ?? '')
      await write(place, file, before, after)
      return undoable(() => write(place, file, after, before))
    },
    async write(place, file, before, text, { needsTrust } = { needsTrust: true }) {
      await files.requireUser()
      await write(place, file, before, text, needsTrust)
      return undoable(() => write(place, file, text, before, needsTrust))
    },
    async removeFolder(place, folder) {
      await files.requireUser()
      if (place.scope === 'project' && realpathSync(folder) !== folder)
        throw new CodedError('customize.invalid', `${folder} is a link. Remove the link by hand.`)
      emptyTrash(join(home, 'trash'), now())
      const trash = join(home, 'trash', randomUUID(), basename(folder))
      moveFolder(folder, trash)
      return undoable(async () => moveFolder(trash, folder))
    },
    async undo(undoId) {
      const undo = undoing.get(undoId)
      if (!undo)
        throw new CodedError('customize.undo_gone', 'Trestle was started again since, or made many changes after it.')
      await files.requireUser()
      await undo()
      undoing.delete(undoId)
    },
  }
  return files
}

function requireTrust(folder: string, state: TrustView['state']): void {
  if (EDITABLE.includes(state)) return
  throw new CodedError('customize.untrusted', `${folder} has settings of its own that you have not trusted.`)
}

/** Deletes old entries from the trash. */
function emptyTrash(trash: string, now: number): void {
  try {
    for (const name of readdirSync(trash)) {
      const entry = join(trash, name)
      if (now - statSync(entry).mtimeMs > TRASH_MS) rmSync(entry, { recursive: true, force: true })
    }
  } catch {
    // It is deleted the next time.
  }
}

function changed(file: string): CodedError {
  return new CodedError('customize.changed', `${file} has changed.`)
}

function realOf(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}

function moveFolder(from: string, to: string): void {
  try {
    mkdirSync(dirname(to), { recursive: true })
    try {
      renameSync(from, to)
    } catch (error) {
      // Projects may be on another disk.
      if (errorCode(error) !== 'EXDEV') throw error
      cpSync(from, to, { recursive: true, errorOnExist: true, force: false, verbatimSymlinks: true })
      rmSync(from, { recursive: true })
    }
  } catch (error) {
    throw writeFailure(`${from} could not be moved: ${failureOf(error).message}`, error)
  }
}
