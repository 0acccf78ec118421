import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const SOURCES = join(import.meta.dirname, '..', '..', 'src')

/** What a newcomer searches for, by its usual name, and the file that has it. */
const PLACES: readonly (readonly [term: string, file: string])[] = [
  ['retry delay', 'main/engine/loop/model-request.ts'],
  ['rate limit', 'main/engine/model/errors/retry-after.ts'],
  ['truncation of results', 'main/engine/tool/truncate-result.ts'],
  ['compaction threshold', 'main/engine/context/compaction/context-limits.ts'],
  ['kills a process tree', 'main/engine/process/kill/kill-process-tree.ts'],
  ['origin check', 'main/host/web/server/page-server.ts'],
  ['session lease', 'main/engine/store/lease.ts'],
  ['virtualized list', 'renderer/features/chat/transcript/transcript.tsx'],
  ['debounce of file watching', 'main/engine/config/watch-file.ts'],
  ['throttle of pushes', 'main/api/push/session-push-queue.ts'],
  ['cache of skills', 'main/engine/skill/skill-cache.ts'],
  ['token estimate', 'main/engine/context/tokens/token-estimate.ts'],
]

test.each(PLACES)('one search for "%s" leads to %s', (term, file) => {
  // Comments are wrapped, so a term may be split between two lines.
  const text = readFileSync(join(SOURCES, file), 'utf8').replaceAll(/\s+\*?\s*/g, ' ')
  expect(text).toMatch(new RegExp(term, 'i'))
})
