import { once } from 'node:events'
import { createReadStream, existsSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import type { TaskPush } from '../../../shared/model/push'
import type { TaskCustody } from '../../engine/task/task-custody'
import { editorOutput } from '../../command-line/guard-terminal'
import { ColorText } from './color-text'

/** Most of an output that is looked through for its last lines, and that JSON holds. */
const MOST_BYTES = 1024 * 1024

export interface PrintOutput {
  isJson: boolean
  /** Only so many lines of its end. */
  tail?: number
  /** Goes on until the task has ended. */
  follow: boolean
}

/**
 * What a task printed: on a terminal with its colors and no other escape sequence, piped to another program byte by byte as it printed it; as JSON with the task and
 * where the text stands in the whole.
 */
export async function printOutput(custody: TaskCustody, taskId: string, { isJson, tail, follow }: PrintOutput): Promise<number> {
  const task = await custody.get(taskId)
  if (follow) return followOutput(custody, taskId, { isJson, ...(tail !== undefined && { tail }) })
  if (isJson) {
    const page = await custody.output(taskId, { bytes: MOST_BYTES })
    await write(`${JSON.stringify({ task, ...page, ...(tail !== undefined && { text: lastLines(page.text, tail) }) })}\n`)
    return 0
  }
  const out = outputWriter()
  if (tail !== undefined) await out.write(lastLines((await custody.output(taskId, { bytes: MOST_BYTES })).text, tail))
  else {
    // What its host still has in memory is written first.
    await custody.output(taskId, { bytes: 1 })
    for (const path of [task.outputPath, task.newestPath]) {
      if (path === undefined || !existsSync(path)) continue
      for await (const piece of createReadStream(path)) await out.write(piece as Buffer)
    }
  }
  await out.end()
  return 0
}

/** One push a line as JSON, or the bare output. */
async function followOutput(custody: TaskCustody, taskId: string, { isJson, tail }: { isJson: boolean; tail?: number }): Promise<number> {
  const ended = Promise.withResolvers<void>()
  const out = outputWriter()
  let hasBegun = false
  const hear = (push: TaskPush): void => {
    if (isJson) void write(`${JSON.stringify(push)}\n`)
    else if (push.type === 'output') void out.write(push.text)
    else if (push.type === 'start') {
      if (hasBegun) void out.write('\n[It prints faster than can be shown; some of it was left out here.]\n')
      void out.write(tail === undefined ? push.text : lastLines(push.text, tail))
      hasBegun = true
    }
    if (push.type !== 'output' && push.task.status !== 'running') ended.resolve()
  }
  const stop = custody.watch(taskId, hear)
  await ended.promise
  stop()
  if (!isJson) await out.end()
  return 0
}

function lastLines(text: string, count: number): string {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines.length === 0 ? '' : `${lines.slice(-count).join('\n')}\n`
}

/** Where a task's output is written, as whoever reads it may get it. */
function outputWriter(): { write(piece: string | Buffer): Promise<void>; end(): Promise<void> } {
  if (!process.stdout.isTTY) return { write, end: async () => undefined }
  const decoder = new StringDecoder('utf8')
  const text = new ColorText()
  const terminal = editorOutput(process.stdout)
  const show = async (shown: string): Promise<void> => {
    if (!terminal.write(shown)) await once(process.stdout, 'drain')
  }
  return {
    write: (piece) => show(text.add(typeof piece === 'string' ? piece : decoder.write(piece))),
    end: () => show(text.end()),
  }
}

async function write(piece: string | Buffer): Promise<void> {
  if (!process.stdout.write(piece)) await once(process.stdout, 'drain')
}
