import { once } from 'node:events'
import { createReadStream, existsSync } from 'node:fs'
import type { TaskPush } from '../../../shared/model/push'
import type { TaskCustody } from '../../engine/task/task-custody'

/** Most of an output that is looked through for its last lines, and that JSON holds. */
const MOST_BYTES = 1024 * 1024

export interface PrintOutput {
  isJson: boolean
  /** Only so many lines of its end. */
  tail?: number
  /** Goes on until the task has ended. */
  follow: boolean
}

/** What a task printed, as it printed it; as JSON with the task and where the text stands in the whole. */
export async function printOutput(custody: TaskCustody, taskId: string, { isJson, tail, follow }: PrintOutput): Promise<number> {
  const task = await custody.get(taskId)
  if (follow) return followOutput(custody, taskId, { isJson, ...(tail !== undefined && { tail }) })
  if (isJson) {
    const page = await custody.output(taskId, { bytes: MOST_BYTES })
    await write(`${JSON.stringify({ task, ...page, ...(tail !== undefined && { text: lastLines(page.text, tail) }) })}\n`)
  } else if (tail !== undefined) await write(lastLines((await custody.output(taskId, { bytes: MOST_BYTES })).text, tail))
  else {
    // What its host still has in memory is written first.
    await custody.output(taskId, { bytes: 1 })
    for (const path of [task.outputPath, task.newestPath]) {
      if (path === undefined || !existsSync(path)) continue
      for await (const piece of createReadStream(path)) await write(piece as Buffer)
    }
  }
  return 0
}

/** One push a line as JSON, or the bare output. */
async function followOutput(custody: TaskCustody, taskId: string, { isJson, tail }: { isJson: boolean; tail?: number }): Promise<number> {
  const ended = Promise.withResolvers<void>()
  let hasBegun = false
  const hear = (push: TaskPush): void => {
    if (isJson) void write(`${JSON.stringify(push)}\n`)
    else if (push.type === 'output') void write(push.text)
    else if (push.type === 'start') {
      if (hasBegun) void write('\n[It prints faster than can be shown; some of it was left out here.]\n')
      void write(tail === undefined ? push.text : lastLines(push.text, tail))
      hasBegun = true
    }
    if (push.type !== 'output' && push.task.status !== 'running') ended.resolve()
  }
  const stop = custody.watch(taskId, hear)
  await ended.promise
  stop()
  return 0
}

function lastLines(text: string, count: number): string {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines.length === 0 ? '' : `${lines.slice(-count).join('\n')}\n`
}

async function write(piece: string | Buffer): Promise<void> {
  if (!process.stdout.write(piece)) await once(process.stdout, 'drain')
}
