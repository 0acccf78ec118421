import '../test/support/ts-hooks.mjs'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { median, progress, round, runAlone, type Measurement } from './support/measurement.ts'
import { makeScratch, type Scratch } from './support/scratch.ts'

const FILES = 1000
const EDITS = 200
const RUNS = 5
const maxBytes = (): number => 10 * 1024 * 1024

/**
 * The cost of a checkpoint before an edit and before a command, and of a restore, with the real store on a real folder.
 */
export default async function checkpoints(): Promise<Measurement[]> {
  const edits: number[] = []
  const commands: number[] = []
  const restores: number[] = []
  const processor: number[] = []
  for (let run = 0; run < RUNS; run += 1) {
    const scratch = makeScratch()
    try {
      const found = await once(scratch)
      edits.push(...found.edits)
      commands.push(found.command)
      restores.push(found.restore)
      processor.push(found.processor)
    } finally {
      scratch.remove()
    }
    progress(`  ${run + 1} of ${RUNS}`)
  }
  const sorted = edits.toSorted((a, b) => a - b)
  return [
    {
      name: 'checkpoint before an edit: median',
      value: round(median(edits)),
      unit: 'ms',
      limit: 5,
      note: 'a file of 24 kB',
    },
    {
      name: 'checkpoint before an edit: p95',
      value: round(sorted[Math.floor(sorted.length * 0.95)]!),
      unit: 'ms',
      limit: 5,
    },
    {
      name: `checkpoint before a command that has run before, among ${FILES} files: median`,
      value: round(median(commands)),
      unit: 'ms',
    },
    {
      name: `restore of ${FILES} files: median`,
      value: round(median(restores)),
      unit: 'ms',
      limit: 2000,
      note: `the slowest of ${RUNS}: ${round(Math.max(...restores))} ms`,
    },
    {
      name: `restore of ${FILES} files, processor time: median`,
      value: round(median(processor)),
      unit: 'ms',
      limit: 2000,
      note: 'says something on a busy machine too',
    },
  ]
}

async function once({
  home,
  project: root,
}: Scratch): Promise<{ edits: number[]; command: number; restore: number; processor: number }> {
  const { openStore } = await import('../src/main/engine/store/open/open-store.ts')
  const { openBlobStore } = await import('../src/main/engine/checkpoint/capture/file-state.ts')
  const { createCallCheckpoints } = await import('../src/main/engine/checkpoint/capture/call-checkpoints.ts')
  const { restoreSession } = await import('../src/main/engine/checkpoint/restore-session.ts')
  const { checkpointPaths } = await import('../src/main/engine/checkpoint/capture/checkpoint-files.ts')
  const { createWorkspace } = await import('../src/main/engine/workspace/workspace.ts')
  const { createReadState } = await import('../src/main/engine/workspace/workspace.ts')
  const { store } = openStore({ home })
  const sessionId = 'bench'
  store.create({ sessionId, folder: root, title: 'bench', mode: 'auto', addedFolders: [] })
  const place = checkpointPaths(home)
  const blobs = openBlobStore(place.blobs)
  const calls = createCallCheckpoints({ home, place, blobs, maxBytes })
  const workspace = createWorkspace({ root, addedFolders: [], reads: createReadState() })
  const tool = { annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false } }
  let ids = 0
  const keep = async (
    access: { kind: 'file'; path: string; write: true } | { kind: 'command'; command: string; cwd: string },
  ) => {
    const start = performance.now()
    const call = { accesses: [access] }
    const kept = await calls.before({ sessionId, turnId: 'turn', callId: `call-${(ids += 1)}`, workspace, tool, call })
    if (!kept) throw new Error('Nothing was kept.')
    store.append(sessionId, [kept.made])
    const took = performance.now() - start
    return { took, kept }
  }
  const path = join(root, 'edited.ts')
  const text = 'const answer = 42 // of all\n'.repeat(880)
  writeFileSync(path, text)
  const edits: number[] = []
  for (let n = 0; n < EDITS; n += 1) {
    const { took, kept } = await keep({ kind: 'file', path, write: true })
    edits.push(took)
    writeFileSync(path, `${n}\n${text}`)
    const changed = await kept.changed()
    if (changed) store.append(sessionId, [changed])
  }

  for (let n = 0; n < FILES; n += 1) {
    if (n % 50 === 0) mkdirSync(join(root, `part ${n / 50}`))
    writeFileSync(fileOf(root, n), `before ${n}\n`.repeat(200))
  }
  // The first command reads everything; only later ones are measured.
  const first = await keep({ kind: 'command', command: 'make', cwd: root })
  await first.kept.changed()
  const [started] = store.append(sessionId, [
    { type: 'turn.started', turnId: 'turn', parts: [{ type: 'text', text: 'go' }], model: 'm' },
  ])
  const { took: command, kept } = await keep({ kind: 'command', command: 'make all', cwd: root })
  for (let n = 0; n < FILES; n += 1) {
    if (n % 3 === 0) rmSync(fileOf(root, n))
    else writeFileSync(fileOf(root, n), `after ${n}\n`.repeat(100))
  }
  const changed = await kept.changed()
  if (changed) store.append(sessionId, [changed])
  const deps = { home, store, place, blobs, maxBytes, newId: (prefix: string) => `${prefix}-${(ids += 1)}` }
  const session = {
    id: sessionId,
    record: (...events: Parameters<typeof store.append>[1][number][]) => store.append(sessionId, events),
  }
  const usedBefore = process.cpuUsage()
  const start = performance.now()
  const { steps } = await restoreSession(deps, session, { to: started!.seq - 1, files: true, conversation: true })
  const restore = performance.now() - start
  const { user, system } = process.cpuUsage(usedBefore)
  if (steps.length !== FILES) throw new Error(`${steps.length} files were restored, not ${FILES}.`)
  store.close()
  return { edits, command, restore, processor: (user + system) / 1000 }
}

function fileOf(root: string, n: number): string {
  return join(root, `part ${Math.floor(n / 50)}`, `${n}.txt`)
}

await runAlone(import.meta.main, checkpoints)
