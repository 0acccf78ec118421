import { existsSync, realpathSync } from 'node:fs'
import { sep } from 'node:path'
import { CodedError, failureOf } from '../../../shared/errors'
import type { SessionSummary } from '../../../shared/model/session/session'
import type { Worktree } from '../../../shared/model/project/worktree'
import {
  forgetWorktree,
  listWorktrees,
  projectOf,
  readWorktree,
  worktreeOf,
  writeWorktree,
  type WorktreeRecord,
} from '../config/worktree-record'
import type { WorktreeSettings } from '../config/agent-settings/worktree-settings'
import type { SandboxPolicy } from '../sandbox/sandbox-policy'
import { projectFiles } from '../trust/project-files'
import { branchWords, freeBranch } from './branch-name'
import { createWorktree } from './create-worktree'
import { mergeWorktree, updateWorktree } from './merge-worktree'
import { requireOurs } from './our-worktree'
import { workFolder } from '../git/run/plain-path'
import { asideOf, removeWorktree } from './remove-worktree'
import { purgeWorktree, recoverWorktree, restoreWorktree } from './restore-worktree'
import { runSetup } from './setup-run'
import { removeAbandoned } from './temporary-checkouts'
import type { WorktreeActions } from './worktree-actions'
import { createWorktreePlace, type WorktreePlaceDeps } from './worktree-place'
import { branchNow, offerOf, statusOf, viewOf } from './worktree-views'
import { cutText } from '../../../shared/cut-text'

export interface WorktreesDeps extends WorktreePlaceDeps {
  /** The `[worktree]` settings that apply in a folder, and whether the folder's own configuration may be used. */
  settingsFor(folder: string): Promise<{ settings: WorktreeSettings; trusted: boolean }>
  /** Every session of the user, archived ones included. */
  sessions(): readonly SessionSummary[]
  /** What is still running in a folder, as a phrase; undefined: nothing. */
  runningIn(folder: string): Promise<string | undefined>
  /** The sandbox for programs that a project runs in a folder. */
  sandboxOf(folder: string, id: string): Promise<SandboxPolicy | undefined>
  changed(): void
  /** Notifies the user. `isKept`: also added to the list of notifications. */
  notify(title: string, body: string, isKept: boolean): void
}

export interface Worktrees extends WorktreeActions {
  /** Waits for the setup command of the worktree that contains a folder. */
  prepared(folder: string, signal: AbortSignal): Promise<void>
  /**
   * Renames the branch of a worktree with a drafted name after its purpose. `about`: a message, or words for the name.
   */
  nameBranch(folder: string, about: string): Promise<void>
  close(): Promise<void>
}

/** The worktrees of a home. */
export function createWorktrees(deps: WorktreesDeps): Worktrees {
  const { home, log, changed } = deps
  const place = createWorktreePlace(deps)
  const setups = new Map<string, { stop: AbortController; ended: Promise<void> }>()
  let recovering: Promise<void> | undefined

  /** Completes, once, what a crashed process left unfinished. */
  const recovered = (): Promise<void> =>
    (recovering ??= (async () => {
      for (const record of listWorktrees(home)) {
        const isOpen = record.state === 'creating' || record.state === 'removing' || existsSync(asideOf(record))
        if (!isOpen) continue
        try {
          await place.exclusively(record.commonDir, async () => {
            const now = readWorktree(home, record.id)
            if (now) await recoverWorktree(place, now)
          })
        } catch (error) {
          log(`The worktree ${record.id} could not be recovered: ${failureOf(error).message}`)
        }
      }
      await removeAbandoned(place)
    })())

  async function required(id: string): Promise<WorktreeRecord> {
    await recovered()
    const record = readWorktree(home, id)
    if (!record) throw new CodedError('worktree.not_found', `There is no worktree ${id}.`)
    return record
  }

  function sessionsIn(folder: string): SessionSummary[] {
    return deps.sessions().filter((one) => one.folder === folder || one.folder.startsWith(folder + sep))
  }

  function shown(record: WorktreeRecord): Worktree {
    return viewOf(
      home,
      record,
      sessionsIn(record.folder).map(({ sessionId, title }) => ({ sessionId, title })),
    )
  }

  async function requireIdle(record: WorktreeRecord): Promise<void> {
    const busy = sessionsIn(record.folder).find(
      ({ status, elsewhere }) =>
        status === 'running' || status === 'waiting' || (elsewhere !== undefined && status !== 'idle'),
    )
    if (busy) throw new CodedError('worktree.busy', `The session ${busy.title || busy.sessionId} is working in it.`)
    const task = await deps.runningIn(record.folder)
    if (task !== undefined) throw new CodedError('worktree.busy', `A task still runs in it: ${task}.`)
  }

  async function stopSetup(id: string): Promise<void> {
    const running = setups.get(id)
    running?.stop.abort()
    await running?.ended
  }

  /** Starts the setup command, if there is one and it is allowed to run. */
  async function startSetup(record: WorktreeRecord): Promise<string | undefined> {
    const folder = workFolder(record)
    const { settings, trusted } = await deps.settingsFor(folder)
    const command = settings.project?.setup ?? settings.setup
    if (command === undefined) return undefined
    if (!trusted) return 'The setup command did not run, because the project is not trusted.'
    const isProjects = settings.project?.setup !== undefined
    const sandbox = isProjects ? await deps.sandboxOf(folder, `worktree-${record.id}`) : undefined
    const env = Object.fromEntries(
      Object.entries(await deps.env()).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    )
    const stop = new AbortController()
    const ended = runSetup(record, {
      home,
      command,
      env: { ...env, TRESTLE_PROJECT: record.project },
      ...(sandbox && { sandbox }),
      now: deps.now,
      changed,
      signal: stop.signal,
    })
      .catch((error: unknown) => log(`The setup of ${record.id} failed: ${failureOf(error).message}`))
      .then(() => {
        setups.delete(record.id)
        const setup = readWorktree(home, record.id)?.setup
        if (setup?.state === 'failed')
          deps.notify(
            'The setup command of a worktree failed',
            `"${cutText(command, 200)}" in ${record.folder} ended with ` +
              `${setup.exitCode === undefined ? 'a failure' : `exit code ${setup.exitCode}`}. ` +
              "The worktree is kept; see its output, and run it again from the session's worktree menu.",
            true,
          )
        return undefined
      })
    setups.set(record.id, { stop, ended })
    return undefined
  }

  return {
    async offer(folder, about) {
      const project = realFolder(folder)
      const { settings } = await deps.settingsFor(project)
      const setup = settings.project?.setup ?? settings.setup
      return offerOf(place, project, {
        prefix: settings.branchPrefix,
        ...(about !== undefined && { about }),
        ...(setup !== undefined && { setup }),
      })
    },
    async list() {
      await recovered()
      return listWorktrees(home).map(shown).toReversed()
    },
    async status(id) {
      const record = await required(id)
      return statusOf(place, record, shown(record))
    },
    async create(folder, wanted, onProgress) {
      await recovered()
      // A worktree of a worktree belongs to the same project.
      const project = realFolder(folder)
      const { settings } = await deps.settingsFor(project)
      const { record, notes } = await createWorktree(place, {
        ...wanted,
        project,
        prefix: settings.branchPrefix,
        copy: [...settings.copy, ...(settings.project?.copy ?? [])],
        configuration: projectFiles(project, home).map(({ file }) => file.slice(project.length + 1)),
        ...(onProgress && { onProgress }),
      })
      record.project = projectOf(home, project)
      writeWorktree(home, record)
      try {
        const note = await startSetup(record)
        if (note !== undefined) notes.push(note)
      } catch (error) {
        notes.push(`The setup command could not be started: ${failureOf(error).message}`)
      }
      changed()
      return { worktreeId: record.id, folder: workFolder(record), branch: record.branch!, notes }
    },
    async remove(id) {
      const record = await required(id)
      if (record.state !== 'ready') throw new CodedError('worktree.not_found', `The worktree ${id} is ${record.state}.`)
      requireOurs(record)
      await stopSetup(id)
      await requireIdle(record)
      const removed = await removeWorktree(place, readWorktree(home, id) ?? record)
      changed()
      const { files = 0, patch } = removed.removed ?? {}
      if (patch !== undefined)
        deps.notify(
          'The worktree was removed, its changes were saved',
          `${files} uncommitted ${files === 1 ? 'file is' : 'files are'} in ${patch}. To get them back, ` +
            `restore the worktree in Settings, Worktrees, or run: git apply --binary ${JSON.stringify(patch)}`,
          true,
        )
      return shown(removed)
    },
    async restore(id) {
      const { record, notes } = await restoreWorktree(place, await required(id))
      try {
        const note = await startSetup(record)
        if (note !== undefined) notes.push(note)
      } catch (error) {
        notes.push(failureOf(error).message)
      }
      changed()
      for (const note of notes) deps.notify('The worktree was restored', note, false)
      return shown(readWorktree(home, id) ?? record)
    },
    async purge(id) {
      await purgeWorktree(place, await required(id))
      forgetWorktree(home, id)
      changed()
    },
    async forget(id) {
      const record = await required(id)
      if (record.state === 'removed' || existsSync(record.folder))
        throw new CodedError('request.invalid', `${record.folder} exists, or what was saved of it does.`)
      forgetWorktree(home, id)
      changed()
    },
    async merge(id, options) {
      const record = await required(id)
      await requireIdle(record)
      try {
        return await mergeWorktree(place, record, options)
      } finally {
        changed()
      }
    },
    async update(id, options) {
      const record = await required(id)
      await requireIdle(record)
      try {
        return await updateWorktree(place, record, options)
      } finally {
        changed()
      }
    },
    async setup(id, run) {
      const record = await required(id)
      await stopSetup(id)
      if (run) {
        requireOurs(record)
        const problem = await startSetup(record)
        if (problem !== undefined) throw new CodedError('request.invalid', problem)
      }
      changed()
      return shown(readWorktree(home, id) ?? record)
    },
    async prepared(folder, signal) {
      const record = worktreeOf(home, folder)
      const running = record && setups.get(record.id)
      if (!running) return
      await Promise.race([
        running.ended,
        new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
      ])
    },
    async nameBranch(folder, about) {
      const record = worktreeOf(home, folder)
      const words = branchWords(about)
      if (!record?.drafted || record.state !== 'ready' || words === undefined) return
      const found = requireOurs(record)
      await place.exclusively(found.commonDir, async () => {
        const { drafted: _, ...named } = readWorktree(home, record.id) ?? record
        const worktree = await place.open(found)
        const { settings } = await deps.settingsFor(folder)
        // A number was added if the name was taken.
        const isNamed = record.branch?.replace(/-\d+$/, '') === (settings.branchPrefix + words).replace(/-\d+$/, '')
        if (!isNamed && branchNow(record) === record.branch && record.branch !== undefined) {
          named.branch = await freeBranch(worktree, settings.branchPrefix, words)
          await worktree.write(['branch', '--move', '--', record.branch, named.branch])
        }
        writeWorktree(home, named)
      })
      changed()
    },
    async close() {
      await Promise.all([...setups.keys()].map(stopSetup))
    },
  }
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    throw new CodedError('session.folder_missing', `There is no folder ${folder}.`)
  }
}
