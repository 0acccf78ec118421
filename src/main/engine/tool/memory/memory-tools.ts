import { sentence } from '../../../../shared/error-text'
import { z } from 'zod'
import { lazySchema } from '../../../../shared/lazy-schema'
import { failureOf } from '../../../../shared/errors'
import {
  MEMORY_LIMITS,
  MEMORY_SCOPES,
  type MemoryEntry,
  type MemoryScope,
} from '../../../../shared/model/assistant/memory'
import type { MemoryOrigin } from '../../store/rows/memory-rows'
import type { Memory, StoredMemory } from '../../memory/memory'
import { failed, ok, type Tool, type ToolResult } from '../tool'

/** What a session's tools know about the session. */
export interface SessionMemory {
  /** Loaded on first use. */
  memory(): Promise<Memory>
  /** The session's project; undefined without a project. */
  folder(): string | undefined
  origin(): MemoryOrigin
}

const { keyChars, textChars, categoryChars } = MEMORY_LIMITS
const key = lazySchema(() => z.string().trim().min(1).max(keyChars).describe('A short name, e.g. "package manager"'))
const text = lazySchema(() =>
  z.string().trim().min(1).max(textChars).describe('What to remember, in a sentence or two'),
)
const scope = lazySchema(() =>
  z.enum(MEMORY_SCOPES).optional().describe('Where it applies; default: the project, if there is one'),
)

/** Results of assistant tools are short. */
const MAX_RESULT_CHARS = 8_000
const FOUND = 10

const CHANGES = {
  brief: true,
  maxResultChars: MAX_RESULT_CHARS,
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
} as const

/** The tools that remember things across sessions, for one session. */
export function memoryTools(session: SessionMemory): readonly Tool[] {
  return [storeTool(session), learnTool(session), reinforceTool(session), forgetTool(session), searchTool(session)]
}

function storeTool(session: SessionMemory): Tool {
  const input = lazySchema(() => z.strictObject({ key: key(), text: text(), scope: scope() }))
  return {
    name: 'MemoryStore',
    description: 'Remembers a fact for later sessions, in place of what the key had. Never secrets.',
    input,
    ...CHANGES,
    async prepare(given) {
      const { scope: wanted, ...content } = input().parse(given)
      return {
        summary: content.key,
        accesses: [],
        preview: async () => ({ kind: 'text', text: `${content.key}: ${content.text}` }),
        run: () =>
          attempt(async () =>
            stored((await session.memory()).store({ ...content, ...place(session, wanted) }, session.origin())),
          ),
      }
    },
  }
}

function learnTool(session: SessionMemory): Tool {
  const input = lazySchema(() =>
    z.strictObject({
      category: z.string().trim().min(1).max(categoryChars).describe('Its topic, e.g. "preferences"'),
      text: text(),
      scope: scope(),
    }),
  )
  return {
    name: 'MemoryLearn',
    description: 'Remembers what you learned about the user or project, such as a correction. Never secrets.',
    input,
    ...CHANGES,
    async prepare(given) {
      const { scope: wanted, ...content } = input().parse(given)
      return {
        summary: content.category,
        accesses: [],
        preview: async () => ({ kind: 'text', text: `${content.category}: ${content.text}` }),
        run: () =>
          attempt(async () =>
            stored((await session.memory()).learn({ ...content, ...place(session, wanted) }, session.origin())),
          ),
      }
    },
  }
}

function reinforceTool(session: SessionMemory): Tool {
  const input = lazySchema(() => z.strictObject({ key: key() }))
  return {
    name: 'MemoryReinforce',
    description: 'Marks a remembered entry as right and useful, so that it is recalled sooner.',
    input,
    ...CHANGES,
    annotations: { ...CHANGES.annotations, idempotent: false },
    async prepare(given) {
      const wanted = input().parse(given)
      return {
        summary: wanted.key,
        accesses: [],
        run: () =>
          attempt(async () => {
            const entry = (await session.memory()).reinforce(session.folder(), wanted.key, session.origin().at)
            return `Reinforced ${JSON.stringify(entry.key)}, now ${times(entry.uses)}.`
          }),
      }
    },
  }
}

function forgetTool(session: SessionMemory): Tool {
  const input = lazySchema(() => z.strictObject({ key: key() }))
  return {
    name: 'MemoryForget',
    description: 'Deletes what is remembered under exactly this key.',
    input,
    ...CHANGES,
    async prepare(given) {
      const wanted = input().parse(given)
      return {
        summary: wanted.key,
        accesses: [],
        run: () =>
          attempt(async () => {
            const entry = (await session.memory()).forget(session.folder(), wanted.key, session.origin())
            return `Forgot ${JSON.stringify(entry.key)}. The user can restore it for 30 days.`
          }),
      }
    },
  }
}

function searchTool(session: SessionMemory): Tool {
  const input = lazySchema(() =>
    z.strictObject({
      query: z.string().trim().min(1).max(500).describe('What it is about, in plain words'),
      limit: z.int().min(1).max(50).optional().describe(`How many at most; default ${FOUND}`),
    }),
  )
  return {
    name: 'MemorySearch',
    description: 'Searches what is remembered; only part of it is shown to you.',
    input,
    brief: true,
    maxResultChars: MAX_RESULT_CHARS,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    async prepare(given) {
      const { query, limit = FOUND } = input().parse(given)
      return {
        summary: query,
        accesses: [],
        run: () =>
          attempt(async () => {
            const { at: now } = session.origin()
            const found = (await session.memory()).search(query, { folder: session.folder(), now, limit })
            return found.length === 0 ? 'No matching memories.' : found.map(line).join('\n')
          }),
      }
    },
  }
}

/** Where a new entry applies. Without a project, every entry applies everywhere. */
function place(session: SessionMemory, wanted: MemoryScope | undefined): { folder?: string } {
  const folder = session.folder()
  return folder === undefined || wanted === 'everywhere' ? {} : { folder }
}

function stored({ entry, change }: StoredMemory): string {
  const where = entry.folder === undefined ? 'everywhere' : 'in this project'
  if (change === 'unchanged') return `${JSON.stringify(entry.key)} already says this, ${where}.`
  return `${change === 'created' ? 'Remembered' : 'Changed'} ${JSON.stringify(entry.key)}, ${where}.`
}

function line({ key: name, text: content, category, folder, uses }: MemoryEntry): string {
  const about = [folder === undefined ? 'everywhere' : 'project', category, uses > 0 && `used ${times(uses)}`]
  return `- ${name} (${about.filter(Boolean).join(', ')}): ${content.replaceAll(/\s+/g, ' ')}`
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

/** Runs `work` and returns its text; a refusal becomes a message that the model can act on. */
async function attempt(work: () => Promise<string>): Promise<ToolResult> {
  try {
    return ok(await work())
  } catch (error) {
    const { message, advice } = failureOf(error)
    return failed(`${sentence(message)} ${advice}`.trim())
  }
}
