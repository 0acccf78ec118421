/** Memory of a process and its descendants, sampled from /proc. */
import { readdirSync, readFileSync } from 'node:fs'

const INTERVAL_MS = 20

export interface TreePeak {
  /** Peak sum of the resident sets: shared pages count for each process. */
  rssMb: number
  /** Peak sum of the proportional sets: a shared page counts once in total. */
  pssMb: number
  /** The peak resident set of the process itself, as recorded by the kernel. */
  ownMb: number
  samples: number
}

/** Samples every 20 ms, or every `intervalMs`, until `stop`. */
export function sampleTree(pid: number, intervalMs = INTERVAL_MS): { stop(): TreePeak } {
  const peak: TreePeak = { rssMb: 0, pssMb: 0, ownMb: 0, samples: 0 }
  const look = (): void => {
    let [rss, pss] = [0, 0]
    for (const each of withDescendants(pid)) {
      const { rssKb, pssKb } = memoryOf(each)
      rss += rssKb
      pss += pssKb
    }
    peak.rssMb = Math.max(peak.rssMb, rss / 1024)
    peak.pssMb = Math.max(peak.pssMb, pss / 1024)
    peak.ownMb = Math.max(peak.ownMb, field(read(`/proc/${pid}/status`), 'VmHWM') / 1024)
    peak.samples++
  }
  const timer = setInterval(look, intervalMs)
  return {
    stop() {
      clearInterval(timer)
      return peak
    },
  }
}

function withDescendants(pid: number): number[] {
  const found = [pid]
  for (const each of found) {
    // Each thread has its own list: a process started by a worker thread is a child of that thread's entry.
    for (const thread of threadsOf(each)) {
      const children = read(`/proc/${each}/task/${thread}/children`).trim()
      if (children !== '') found.push(...children.split(' ').map(Number))
    }
  }
  return found
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

function memoryOf(pid: number): { rssKb: number; pssKb: number } {
  const rollup = read(`/proc/${pid}/smaps_rollup`)
  return { rssKb: field(rollup, 'Rss'), pssKb: field(rollup, 'Pss') }
}

function field(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0)
}

/** Empty for a process that has ended in the meantime. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
