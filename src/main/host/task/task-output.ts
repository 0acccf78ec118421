import { once } from 'node:events'
import { createReadStream, existsSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import type { TaskPush } from '../../../shared/events/push'
import type { TaskSupervisor } from '../../engine/task/task-supervisor'
import { editorOutput } from '../../console/output'

/** Maximum bytes of output searched for its last lines, and included in JSON. */
const MAX_BYTES = 1024 * 1024

export interface PrintOutput {
  isJson: boolean
  /** Only the last N lines. */
  tail?: number
  /** Follows the output until the task has ended. */
  follow: boolean
}

/**
 * Prints the output of a task: to a terminal with colors but no other escape sequences, to a pipe byte for byte; as
 * JSON with the task and the position of the text in the whole output.
 */
export async function printOutput(
  supervisor: TaskSupervisor,
  taskId: string,
  { isJson, tail, follow }: PrintOutput,
): Promise<number> {
  const task = await supervisor.get(taskId)
  if (follow) return followOutput(supervisor, taskId, { isJson, ...(tail !== undefined && { tail }) })
  if (isJson) {
    const page = await supervisor.output(taskId, { bytes: MAX_BYTES })
    await write(
      `${JSON.stringify({ task, ...page, ...(tail !== undefined && { text: lastLines(page.text, tail) }) })}\n`,
    )
    return 0
  }
  const out = outputWriter()
  if (tail !== undefined) await out.write(lastLines((await supervisor.output(taskId, { bytes: MAX_BYTES })).text, tail))
  else {
    // Flush what the host still has in memory.
    await supervisor.output(taskId, { bytes: 1 })
    for (const path of [task.outputPath, task.newestPath]) {
      if (path === undefined || !existsSync(path)) continue
      for await (const piece of createReadStream(path)) await out.write(piece as Buffer)
    }
  }
  await out.end()
  return 0
}

/** One push per line as JSON, or the raw output. */
async function followOutput(
  supervisor: TaskSupervisor,
  taskId: string,
  { isJson, tail }: { isJson: boolean; tail?: number },
): Promise<number> {
  const ended = Promise.withResolvers<void>()
  const out = outputWriter()
  let hasBegun = false
  const onPush = (push: TaskPush): void => {
    if (isJson) void write(`${JSON.stringify(push)}\n`)
    else if (push.type === 'output') void out.write(push.text)
    else if (push.type === 'start') {
      if (hasBegun) void out.write('\n[It prints faster than can be shown; some of it was left out here.]\n')
      void out.write(tail === undefined ? push.text : lastLines(push.text, tail))
      hasBegun = true
    }
    if (push.type !== 'output' && push.task.status !== 'running') ended.resolve()
  }
  const stop = supervisor.watch(taskId, onPush)
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

/** The destination of a task's output: filtered for a terminal, raw for a pipe. */
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

/** Maximum length of a color sequence. */
const LONGEST = 64

/**
 * Makes the output of a command safe for a terminal: colors stay, all other escape sequences and control characters are
 * removed. A lone carriage return becomes a line feed, so that nothing is overwritten. Accepts the output in pieces;
 * `end` returns the sequence that resets the last color.
 */
export class ColorText {
  #pending = ''
  #hasColor = false

  add(piece: string): string {
    const text = this.#pending + piece
    // A sequence cut off at the end of a piece is completed by the next one.
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

/**
 * CSI with parameters and final byte, OSC and the other strings up to their end, other escapes, then single characters
 * that a terminal acts on or hides.
 */
const SEQUENCE =
  // oxlint-disable-next-line no-control-regex -- matches control characters on purpose
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\n\u0007\u009c\u001b]*(?:\u0007|\u009c|\u001b\\)?|\u001b[ -/]*[0-~]?|\r\n?|[^\P{Cc}\n\t]|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]|\p{Cs}/gu

const OPEN_SEQUENCE =
  // oxlint-disable-next-line no-control-regex -- matches control characters on purpose
  /^(?:\u001b(?:\[[0-?]*[ -/]*|[ -/]*|[\]PX^_][^\n\u0007\u009c]*)?|\u009b[0-?]*[ -/]*|\u009d[^\n\u0007\u009c]*)$/

/** Where an unfinished sequence at the end of the text starts; the text's length when all are complete. */
function openSequence(text: string): number {
  const from = Math.max(text.lastIndexOf('\u001b'), text.lastIndexOf('\u009b'), text.lastIndexOf('\u009d'))
  if (text.endsWith('\r')) return text.length - 1
  if (from < 0 || text.length - from > LONGEST) return text.length
  const rest = text.slice(from)
  return OPEN_SEQUENCE.test(rest) ? from : text.length
}

/** Removes attribute 8, which hides text, but not as part of an extended color (38;5;8). */
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
