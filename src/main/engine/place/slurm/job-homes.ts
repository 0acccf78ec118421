import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { quoted } from '../launcher/shell-run'
import { phaseOf } from './slurm-commands'
import type { SlurmQueue } from './slurm-queue'

/** Marks the home folder of a job as ours; its age is that of the latest turn. */
export const JOB_HOME_MARK = 'job-home'
/** How long to wait for the end of a job before its folder is left for a later cleanup, in ms. */
const OVER_MS = 60_000

/** Which home folders of jobs are kept. */
export interface JobHomesKept {
  /** Longest time after the latest turn, in days. */
  days: number
  /** Maximum total size; the oldest are removed first. */
  bytes: number
}

/** Limits for the home folders of jobs whose result was not delivered. */
export const LEFTOVERS: JobHomesKept = { days: 7, bytes: 1 << 30 }
export const NO_LEFTOVERS: JobHomesKept = { days: 0, bytes: 0 }

/**
 * Removes the home folders of jobs that are in no queue, and prints how many. Leaves alone links and folders without
 * our mark, and everything if the scheduler does not respond.
 */
export function cleanJobHomes(placeId: string, { days, bytes }: JobHomesKept): string {
  return `
cd "$HOME/.trestle-places"/${quoted(placeId)}/jobs 2>/dev/null || { echo 0; exit 0; }
names=$(squeue --noheader --me --format=%j) || { echo 0; exit 0; }
count=0; sum=0
for name in $(ls -1t); do
  case "$name" in *[!A-Za-z0-9_-]*) continue;; esac
  [ -d "$name" ] && [ ! -L "$name" ] && [ -f "$name/${JOB_HOME_MARK}" ] || continue
  case "$names" in *"-$name"*) continue;; esac
  kb=$(du -sk "./$name" 2>/dev/null | cut -f1); sum=$((sum + \${kb:-0}))
  old=$(find "$name/${JOB_HOME_MARK}" -mtime +${days} 2>/dev/null)
  [ ${days} -eq 0 ] || [ -n "$old" ] || [ "$sum" -gt ${Math.floor(bytes / 1024)} ] || continue
  rm -rf "./$name" 2>/dev/null; [ -e "$name" ] || count=$((count + 1))
done
echo "$count"
`
}

/** The home folders of the jobs of a place: each is removed once the result of its job was recorded here. */
export class JobHomes {
  readonly #placeId: string
  readonly #queue: Pick<SlurmQueue, 'next' | 'pollSoon'>
  readonly #removing = new Map<string, Promise<void>>()

  constructor(placeId: string, queue: Pick<SlurmQueue, 'next' | 'pollSoon'>) {
    this.#placeId = placeId
    this.#queue = queue
  }

  /** The folder for a subagent, once any pending removal of it has finished. */
  async of(agentId: string): Promise<string> {
    const folder = join(homedir(), '.trestle-places', this.#placeId, 'jobs', agentId)
    await this.#removing.get(folder)
    return folder
  }

  /** Removes a folder once its job is over and nothing can write to it; one that cannot be removed is a leftover. */
  removeAfter(jobId: string, folder: string): void {
    const removed = this.#removeWhenOver(jobId, folder)
      .catch(() => undefined)
      .finally(() => this.#removing.delete(folder))
    this.#removing.set(folder, removed)
  }

  async #removeWhenOver(jobId: string, folder: string): Promise<void> {
    const limit = AbortSignal.timeout(OVER_MS)
    this.#queue.pollSoon()
    for (;;) {
      const job = await this.#queue.next(jobId, limit)
      if (job && phaseOf(job) !== 'ended') continue
      if (existsSync(join(folder, JOB_HOME_MARK))) await rm(folder, { recursive: true, force: true, maxRetries: 3 })
      return
    }
  }
}
