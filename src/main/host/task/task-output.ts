import { once } from 'node:events'
import { createReadStream, existsSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import type { TaskPush } from '../../../shared/events/push'
import type { TaskSupervisor } from '../../engine/task/task-supervisor'
import { editorOutput } from '../../console/output'

/** Most of an output that is looked through for its last lines, and that JSON holds. */
const MAX_BYTES = 1024 * 1024

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
export async function printOutput(
  custody: TaskSupervisor,
  taskId: string,
  { isJson, tail, follow }: PrintOutput,
): Promise<number> {
  const task = await custody.get(taskId)
  if (follow) return followOutput(custody, taskId, { isJson, ...(tail !== undefined && { tail }) })
  if (isJson) {
    const page = await custody.output(taskId, { bytes: MAX_BYTES })
    await write(
      `${JSON.stringify({ task, ...page, ...(tail !== undefined && { text: lastLines(page.text, tail) }) })}\n`,
    )
    return 0
  }
  const out = outputWriter()
  if (tail !== undefined) await out.write(lastLines((await custody.output(taskId, { bytes: MAX_BYTES })).text, tail))
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
async function followOutput(
  custody: TaskSupervisor,
  taskId: string,
  { isJson, tail }: { isJson: boolean; tail?: number },
): Promise<number> {
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

/** The longest sequence that is still taken for a color. */
const LONGEST = 64

/**
 * The output of a command as a terminal may show it: its colors stay, every other escape sequence and control character goes. A lone carriage return
 * becomes a line feed, so that nothing is written over. Takes the output in pieces; `end` gives what switches the last color off.
 */
export class ColorText {
  #pending = ''
  #hasColor = false

  add(piece: string): string {
    const text = this.#pending + piece
    // A sequence that the piece has cut is completed by the next one.
    const open = openSequence(text)
    this.#pending = text.slice(open)
    return text.slice(0, open).replace(SEQUENCE, (found) => this.#shown(found))
  }

  end(): string {
    const reset = this.#hasColor ? '\u001b[0m' : ''
    this.#pending = ''
    this.#hasColor = false
    return reset
  }

  #shown(found: string): string {
    if (found === '\r\n' || found === '\r' || found === '\u2028' || found === '\u2029') return '\n'
    const color = /^(?:.\[|\u009b)([\d;:]*)m$/.exec(found)
    if (!color || found.length > LONGEST) return ''
    this.#hasColor = true
    return `\u001b[${withoutConceal(color[1]!)}m`
  }
}

/** CSI with parameters and final byte, OSC and the other strings up to their end, other escapes, then single characters that a terminal acts on or hides. */
const SEQUENCE =
  // oxlint-disable-next-line no-control-regex -- that is what is looked for
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\n\u0007\u009c\u001b]*(?:\u0007|\u009c|\u001b\\)?|\u001b[ -/]*[0-~]?|\r\n?|[^\P{Cc}\n\t]|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]|\p{Cs}/gu

const OPEN_SEQUENCE =
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  /^(?:\u001b(?:\[[0-?]*[ -/]*|[ -/]*|[\]PX^_][^\n\u0007\u009c]*)?|\u009b[0-?]*[ -/]*|\u009d[^\n\u0007\u009c]*)$/

/** Where a sequence begins that the text does not finish; its length when there is none. */
function openSequence(text: string): number {
  const from = Math.max(text.lastIndexOf('\u001b'), text.lastIndexOf('\u009b'), text.lastIndexOf('\u009d'))
  if (text.endsWith('\r')) return text.length - 1
  if (from < 0 || text.length - from > LONGEST) return text.length
  const rest = text.slice(from)
  return OPEN_SEQUENCE.test(rest) ? from : text.length
}

/** Attribute 8 hides text; as a part of an extended color (38;5;8) it is one. */
function withoutConceal(params: string): string {
  const given = params.split(';')
  const kept: string[] = []
  for (let at = 0; at < given.length; at += 1) {
    const param = given[at]!
    if (/^[345]8$/.test(param)) {
      const length = given[at + 1] === '5' ? 3 : given[at + 1] === '2' ? 5 : 1
      kept.push(...given.slice(at, at + length))
      at += length - 1
    } else if (Number(param) !== 8 || param === '') kept.push(param)
  }
  return kept.length === 0 ? '22' : kept.join(';')
}
