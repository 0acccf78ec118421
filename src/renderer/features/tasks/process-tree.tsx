import type { TaskProcess } from '../../../shared/model/task'
import { memory, percent } from './task-words'

interface Branch {
  process: TaskProcess
  depth: number
}

/** The processes of a task, children below their parents, each with what it uses. */
export function ProcessTree({ processes }: { processes: readonly TaskProcess[] }) {
  return (
    <table className="process-tree">
      <caption className="sr-only">Processes</caption>
      <thead className="sr-only">
        <tr>
          <th scope="col">Process</th>
          <th scope="col">Number</th>
          <th scope="col">CPU</th>
          <th scope="col">Memory</th>
        </tr>
      </thead>
      <tbody>
        {branches(processes).map(({ process, depth }) => (
          <tr key={process.pid}>
            <td>
              <span style={{ paddingLeft: `${Math.min(depth, 8) * 14}px` }} title={process.command}>
                {depth > 0 && <span aria-hidden>└ </span>}
                {process.command}
              </span>
            </td>
            <td>{process.pid}</td>
            <td>{percent(process.cpu)}</td>
            <td>{memory(process.memoryBytes)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** In the order of a tree; a process whose parent is not among them stands at the root. */
export function branches(processes: readonly TaskProcess[]): Branch[] {
  const known = new Set(processes.map(({ pid }) => pid))
  const children = new Map<number, TaskProcess[]>()
  const roots: TaskProcess[] = []
  for (const process of processes) {
    if (!known.has(process.parentPid) || process.parentPid === process.pid) roots.push(process)
    else children.set(process.parentPid, [...(children.get(process.parentPid) ?? []), process])
  }
  const rows: Branch[] = []
  const seen = new Set<number>()
  const walk = (process: TaskProcess, depth: number): void => {
    // A number can be given again between two looks, which would make a circle.
    if (seen.has(process.pid)) return
    seen.add(process.pid)
    rows.push({ process, depth })
    for (const child of children.get(process.pid) ?? []) walk(child, depth + 1)
  }
  for (const root of roots) walk(root, 0)
  for (const process of processes) walk(process, 0)
  return rows
}
