import { isScratchFolder } from '../../../shared/model/project/scratch-folder'
import { textOf, type Message } from '../../../shared/model/turn/message'
import type { MemorySource } from '../../../shared/model/assistant/memory'
import { projectOf } from '../config/worktree-record'
import type { EngineFoundation } from '../foundation/engine-foundation'
import type { Recall } from '../memory/recall'
import { isRecall } from '../memory/recall-text'
import type { Memory, MemoryActions } from '../memory/memory'
import type { Session } from '../session/session'
import type { MemoryOrigin } from '../store/rows/memory-rows'
import { memoryTools } from '../tool/memory/memory-tools'
import type { Tool } from '../tool/tool'

export interface EngineMemory {
  /** Without a session: the tools for descriptions only. */
  tools(session?: Session): readonly Tool[]
  /** What the model is told from memory before its next step; undefined if there is nothing new. */
  recall(session: Session, history: readonly Message[]): Promise<Recall | undefined>
  actions: MemoryActions
}

/** How many characters of a message are kept as the origin of an entry. */
const MESSAGE_CHARS = 160

/** The memory of an engine. Its code is loaded and its tables are read on first use. */
export function createEngineMemory(foundation: EngineFoundation): EngineMemory {
  const { home, database, store, now, notify, settings, effectiveHeader } = foundation
  let loading: Promise<Memory> | undefined
  const memory = (): Promise<Memory> =>
    (loading ??= Promise.all([import('../memory/memory'), import('../store/rows/memory-rows')]).then(
      ([{ createMemory }, { createMemoryRows }]) => createMemory({ rows: createMemoryRows(database), now, sourceOf }),
    ))
  /** The memory for tools: it reports the changes that they make. */
  const changing = async (): Promise<Memory> => {
    const { store: keep, learn, reinforce, forget, ...rest } = await memory()
    return {
      ...rest,
      store: notifying(keep),
      learn: notifying(learn),
      reinforce: notifying(reinforce),
      forget: notifying(forget),
    }
  }
  const notifying =
    <Arguments extends unknown[], Result>(work: (...given: Arguments) => Result) =>
    (...given: Arguments): Result => {
      const result = work(...given)
      notify({ kind: 'memory' })
      return result
    }
  const changed = async <Result>(work: (of: Memory) => Result): Promise<Result> => notifying(work)(await memory())
  const byUser = (): MemoryOrigin => ({ at: now(), author: 'user' })

  const folderOf = (session: Session): string | undefined => {
    const { folder } = effectiveHeader(session)
    return isScratchFolder(folder) ? undefined : projectOf(home, folder)
  }

  function sourceOf(sessionId: string, seq: number | undefined): MemorySource {
    const header = store.header(sessionId)
    if (!header) return { sessionId }
    const asked =
      seq === undefined
        ? undefined
        : store
            .ofTypes(sessionId, ['turn.started', 'turn.steered'])
            .findLast(
              (event) => event.seq <= seq && !event.news && (event.type === 'turn.started' || event.by === 'user'),
            )
    return {
      sessionId,
      title: header.title,
      ...(asked && { message: textOf(asked.parts).slice(0, MESSAGE_CHARS).toWellFormed(), seq: asked.seq }),
    }
  }

  return {
    tools: (session) =>
      memoryTools({
        memory: changing,
        folder: () => session && folderOf(session),
        origin: () => ({
          at: now(),
          author: 'agent',
          ...(session && { sessionId: session.id, seq: session.header.seq }),
        }),
      }),
    async recall(session, history) {
      const budgetBytes = settings().memory.budgetBytes
      const prompt = unansweredPrompt(history)
      if (budgetBytes === 0 || prompt === undefined) return undefined
      const texts = history.flatMap((message) =>
        message.role === 'user' && message.by === 'guard' ? [textOf(message.parts)] : [],
      )
      const request = { prompt, folder: folderOf(session), recalled: texts.filter(isRecall), budgetBytes, now: now() }
      return (await memory()).recall(request)
    },
    actions: {
      list: async (filter, offset, limit) => (await memory()).list(filter, offset, limit),
      details: async (id) => (await memory()).details(id),
      overview: async () => (await memory()).overview(settings().memory.budgetBytes),
      add: (content) => changed((of) => of.store(content, byUser()).entry),
      change: (id, content) => changed((of) => of.change(id, content, byUser())),
      remove: (ids) => changed((of) => of.remove(ids, byUser())),
      restore: (ids) => changed((of) => of.restore(ids, byUser())),
      purge: (ids) => changed((of) => of.purge(ids)),
    },
  }
}

/** The user's text since the last answer; undefined without such text, or if the memory was already queried for it. */
function unansweredPrompt(history: readonly Message[]): string | undefined {
  const words: string[] = []
  for (const message of history.toReversed()) {
    if (message.role !== 'user' || message.by === 'compaction') break
    const text = textOf(message.parts)
    if (message.by === 'guard' && isRecall(text)) return undefined
    if (message.by === undefined) words.unshift(text)
  }
  return words.length === 0 ? undefined : words.join('\n')
}
