import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openToRead } from '../../src/main/engine/git/repository/open-to-read'
import { createReviews, type Reviews } from '../../src/main/engine/review/reviews'
import type { CheckpointAccess, CheckpointedSession } from '../../src/main/engine/checkpoint/checkpoints'
import { checkpointBench, type CheckpointBench } from './checkpoint-bench'

export interface ReviewBench extends CheckpointBench {
  reviews: Reviews
  /** Messages sent to the agent. */
  sent: string[]
  path(name: string): string
  write(name: string, content: string | Buffer): void
  read(name: string): string
  git(...args: string[]): string
}

/** Reviews with the real store, a real folder and the real git. */
export async function reviewBench({ maxBytes = 1024 * 1024 } = {}): Promise<ReviewBench> {
  const bench = await checkpointBench(maxBytes)
  const session = { id: bench.sessionId, record: bench.record } as unknown as CheckpointedSession
  const access: CheckpointAccess = {
    restoring: bench.deps,
    whenRecovered: (_id, use) => use(session),
    whenIdle: (_id, use) => use(session),
  }
  const sent: string[] = []
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  const path = (name: string): string => join(bench.root, name)
  return {
    ...bench,
    sent,
    reviews: createReviews({
      access,
      openRepository: (folder) => openToRead({ home: bench.deps.home, env: async () => env }, folder),
      prompt: async (_id, text) => void sent.push(text),
    }),
    path,
    write: (name, content) => writeFileSync(path(name), content),
    read: (name) => readFileSync(path(name), 'utf8'),
    git: (...args) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        cwd: bench.root,
        encoding: 'utf8',
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
  }
}
