import { join } from 'node:path'
import { mkdirSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import type { RestoreResult } from '../../src/shared/model/session/checkpoint'
import { openBlobStore } from '../../src/main/engine/checkpoint/capture/file-state'
import { createCallCheckpoints, type CallCheckpoints } from '../../src/main/engine/checkpoint/capture/call-checkpoints'
import { restoreSession, type RestoreDeps, type RestoreRequest } from '../../src/main/engine/checkpoint/restore-session'
import { checkpointPaths } from '../../src/main/engine/checkpoint/capture/checkpoint-files'
import { openStore } from '../../src/main/engine/store/open/open-store'
import type { EventBody, RecordedEvent } from '../../src/shared/events/event'
import type { Access } from '../../src/main/engine/tool/tool'
import { createWorkspace, createReadState } from '../../src/main/engine/workspace/workspace'
import { tempFolder } from './temp-folder'

export interface CheckpointBench {
  home: string
  root: string
  sessionId: string
  deps: RestoreDeps
  /** Starts and ends a turn; returns the point right before its message. */
  turn(): number
  /** Runs `work` as a call that declares that it writes this file. */
  edit(path: string, work: () => void): Promise<void>
  /** Runs `work` as a command with unknown effects. */
  command(work: () => void): Promise<void>
  restore(request: Partial<RestoreRequest> & { to: number }): Promise<RestoreResult>
  record(event: EventBody): RecordedEvent[]
  /** A new process, which knows only what is stored. */
  restart(): void
}

/** Checkpoints with the real store and a real folder; calls are functions. */
export async function checkpointBench(maxBytes = 1024 * 1024): Promise<CheckpointBench> {
  const folder = await tempFolder()
  const [home, root] = [join(folder, 'home'), join(folder, 'project')]
  mkdirSync(home)
  mkdirSync(root)
  const { store } = openStore({ home })
  onTestFinished(() => store.close())
  const sessionId = 'session-1'
  store.create({ sessionId, folder: root, title: 't', mode: 'auto', addedFolders: [] })
  const place = checkpointPaths(home)
  const blobs = openBlobStore(place.blobs)
  const workspace = createWorkspace({ root, addedFolders: [], reads: createReadState() })
  let ids = 0
  const newId = (prefix: string): string => `${prefix}-${(ids += 1)}`
  const deps: RestoreDeps = { home, store, place, blobs, maxBytes: () => maxBytes, newId }
  const open = (): CallCheckpoints =>
    // On a busy machine, listing takes longer than a user would wait.
    createCallCheckpoints({ home, place, blobs, maxBytes: () => maxBytes, maxListingMs: 180_000 })
  let calls = open()
  const record = (event: EventBody): RecordedEvent[] => store.append(sessionId, [event])
  const annotations = { readOnly: false, destructive: true, idempotent: false, openWorld: false }

  async function call(access: Access, work: () => void): Promise<void> {
    const held = await calls.before({
      sessionId,
      turnId: 'turn',
      callId: newId('call'),
      workspace,
      tool: { annotations },
      call: { accesses: [access] },
    })
    if (!held) throw new Error('a call that changes something was taken for one that does not')
    record(held.made)
    work()
    const changed = await held.changed()
    if (changed) record(changed)
  }

  return {
    home,
    root,
    sessionId,
    deps,
    turn() {
      const turnId = newId('turn')
      const [started] = record({ type: 'turn.started', turnId, parts: [{ type: 'text', text: turnId }], model: 'm' })
      record({ type: 'turn.finished', turnId, stop: 'end_turn', steps: 1, durationMs: 1 })
      return started!.seq - 1
    },
    edit: (path, work) => call({ kind: 'file', path, write: true }, work),
    command: (work) => call({ kind: 'command', command: 'make all', cwd: root }, work),
    restore: (request) =>
      restoreSession(deps, { id: sessionId, record }, { files: true, conversation: false, ...request }),
    record,
    restart: () => void (calls = open()),
  }
}
