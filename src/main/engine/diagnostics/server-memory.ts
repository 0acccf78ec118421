import { processTable } from '../task/watch/process-table'

/** Bytes that a process and everything below it have resident; 0 where that cannot be seen. */
export async function memoryBelow(pid: number): Promise<number> {
  const table = await processTable()
  const children = new Map<number, number[]>()
  for (const entry of table.values()) children.set(entry.parent, [...(children.get(entry.parent) ?? []), entry.pid])
  let bytes = 0
  const pending = [pid]
  const seen = new Set<number>()
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (seen.has(at)) continue
    seen.add(at)
    bytes += table.get(at)?.memoryBytes ?? 0
    pending.push(...(children.get(at) ?? []))
  }
  return bytes
}
