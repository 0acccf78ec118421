import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { GROUPS, type EvalTask, type Group, type LoadedTask } from './task.ts'

const TASKS = join(import.meta.dirname, '..', 'tasks')

/** The requested tasks; empty: all. */
export interface TaskFilter {
  groups?: readonly string[]
  /** `group/name`, or the name alone. */
  tasks?: readonly string[]
}

/** A usage error that the user can fix. */
export class UsageProblem extends Error {}

/** The tasks of `evals/tasks`, by group and name. Throws a `UsageProblem` for an unknown group or task. */
export async function loadTasks({ groups = [], tasks = [] }: TaskFilter = {}): Promise<LoadedTask[]> {
  for (const group of groups)
    if (!isGroup(group)) throw new UsageProblem(`There is no group "${group}". There are: ${GROUPS.join(', ')}.`)
  const all = GROUPS.flatMap((group) => foldersOf(group))
  for (const task of tasks) {
    if (!all.some((one) => isNamed(one, task)))
      throw new UsageProblem(`There is no task "${task}". npm run eval -- --list names all tasks.`)
  }
  const asked = all
    .filter(({ group }) => groups.length === 0 || groups.includes(group))
    .filter((one) => tasks.length === 0 || tasks.some((task) => isNamed(one, task)))
  if (asked.length === 0) throw new UsageProblem('No task is in the given groups and has one of the given names.')
  return Promise.all(asked.map(load))
}

interface TaskFolder {
  group: Group
  name: string
  folder: string
}

function foldersOf(group: Group): TaskFolder[] {
  const parent = join(TASKS, group)
  if (!existsSync(parent)) return []
  return readdirSync(parent)
    .toSorted()
    .map((name) => ({ group, name, folder: join(parent, name) }))
    .filter(({ folder }) => existsSync(join(folder, 'task.ts')))
}

async function load({ group, name, folder }: TaskFolder): Promise<LoadedTask> {
  const { default: task } = (await import(pathToFileURL(join(folder, 'task.ts')).href)) as { default: EvalTask }
  return { ...task, group, id: `${group}/${name}`, folder }
}

function isGroup(text: string): text is Group {
  return (GROUPS as readonly string[]).includes(text)
}

function isNamed({ group, name }: TaskFolder, asked: string): boolean {
  return asked === name || asked === `${group}/${name}`
}
