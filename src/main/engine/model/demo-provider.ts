import { setTimeout as pause } from 'node:timers/promises'
import { parse } from 'smol-toml'
import { z } from 'zod'
import type { ModelChunk, Provider } from './provider'
import { textOf, type Message } from '../../../shared/model/turn/message'
import text from '../../../../resources/demo/script.toml?raw'
import { cutText } from '../../../shared/cut-text'

/** About the speed of a fast model; slow enough to be visible as streaming. */
const PACE_MS = 25
/** Characters of arguments per chunk. */
const DRAFT_CHARS = 40

/**
 * The demo model: plays `resources/demo/script.toml` through the tools it is offered, one step per request, and
 * determines its position from its own calls in the conversation. It never claims to be a model, and reports no tokens.
 */
export function createDemoProvider(options: { paceMs?: number } = {}): Provider {
  const paceMs = options.paceMs ?? PACE_MS
  return {
    async *stream(request, signal) {
      const beat = async (): Promise<void> => {
        signal.throwIfAborted()
        if (paceMs > 0) await pause(paceMs, undefined, { signal })
      }
      const answer =
        request.purpose === 'summary'
          ? { step: 'summary', think: '', say: demoSummary(), calls: [] }
          : demoAnswer(request.messages, request.toolChoice === 'none' ? [] : request.tools.map((tool) => tool.name))
      for (const word of wordsOf(answer.think)) {
        await beat()
        yield { type: 'thinking', text: word }
      }
      if (answer.think) yield { type: 'thinking.end' }
      for (const word of wordsOf(answer.say)) {
        await beat()
        yield { type: 'text', text: word }
      }
      const metadata = { demo: { step: answer.step } }
      if (answer.say) yield { type: 'text.end', metadata }
      for (const [index, call] of answer.calls.entries()) {
        const callId = `demo.${answer.step}.${index + 1}`
        const input = JSON.stringify(call.input)
        for (let at = 0; at < input.length; at += DRAFT_CHARS) {
          await beat()
          yield { type: 'tool.draft', callId, name: call.tool, text: input.slice(at, at + DRAFT_CHARS) }
        }
        yield {
          type: 'tool.call',
          callId,
          name: call.tool,
          input,
          metadata: { demo: { ...metadata.demo, as: call.as } },
        } satisfies ModelChunk
      }
      await beat()
      yield { type: 'finish', reason: answer.calls.length > 0 ? 'tool_calls' : 'stop' }
    },
  }
}

/** Words with their trailing whitespace, so that joining them restores the text. */
function wordsOf(text: string): string[] {
  return text.match(/\s*\S+\s*/g) ?? []
}

const callSchema = z.strictObject({
  as: z.string(),
  tool: z.string(),
  input: z.record(z.string(), z.unknown()),
  told: z.strictObject({ ok: z.string(), failed: z.string() }).optional(),
})
const stepSchema = z.strictObject({
  name: z.string(),
  when: z.array(z.string()).default([]),
  think: z.string().optional(),
  say: z.string().default(''),
  call: z.array(callSchema).default([]),
})
const scriptSchema = z.strictObject({
  prefer: z.array(z.string()),
  later: z.string(),
  news: z.string(),
  summary: z.string(),
  step: z.array(stepSchema),
})

type Script = z.infer<typeof scriptSchema>
type Step = Script['step'][number]

/** One answer of the demo. */
export interface DemoAnswer {
  step: string
  think: string
  say: string
  calls: { as: string; tool: string; input: Record<string, unknown> }[]
}

/** A call that the demo has made, and its result. */
interface Played {
  step: string
  as: string
  result: { isError: boolean; text: string } | undefined
}

let script: Script | undefined
const scriptOf = (): Script => (script ??= scriptSchema.parse(parse(text)))

/** The demo's summary of a conversation: fixed text from the script. */
function demoSummary(): string {
  return scriptOf().summary.trim()
}

/** What the demo says and does next, given the conversation so far and the offered tools. */
function demoAnswer(messages: readonly Message[], offered: readonly string[]): DemoAnswer {
  const { steps, ended } = playedIn(messages)
  const { step: all, later, news } = scriptOf()
  // The demo must not repeat the checkpoint number that follows.
  const latest = messages.findLast((message) => message.role !== 'user' || message.by !== 'guard')
  if (ended && isNews(latest)) return { step: 'news', think: '', say: news, calls: [] }
  if (ended) return { step: 'later', think: '', say: later, calls: [] }
  const facts = factsOf(steps)
  const last = all.at(-1)!
  const from = all.findIndex((step) => step.name === steps.at(-1)?.step) + 1
  const next =
    all
      .slice(from)
      .find(
        (step) => step === last || (holds(step, facts.names) && step.call.some((call) => offered.includes(call.tool))),
      ) ?? last
  const fill = (template: string): string => filled(template, facts, steps)
  return {
    step: next.name,
    think: fill(next.think ?? ''),
    say: fill(next.say),
    calls: next.call
      .filter((call) => offered.includes(call.tool))
      .map((call) => ({ as: call.as, tool: call.tool, input: filledInput(call.input, fill) })),
  }
}

/** Whether it is Trestle's own notification about tasks. */
function isNews(message: Message | undefined): boolean {
  return message?.role === 'user' && textOf(message.parts).startsWith('<task-news>')
}

/** Whether that is the demo's last step. */
function isDemoEnd(step: string): boolean {
  return step === scriptOf().step.at(-1)!.name
}

/** The demo's own calls and their results; recognized by the metadata that the provider attaches. */
function playedIn(messages: readonly Message[]): { steps: Played[]; ended: boolean } {
  const results = new Map<string, Played['result']>()
  for (const message of messages) {
    if (message.role === 'tool')
      results.set(message.callId, { isError: message.isError, text: textOf(message.content) })
  }
  const steps: Played[] = []
  let ended = false
  for (const part of messages.flatMap((message) => (message.role === 'assistant' ? message.parts : []))) {
    const { step, as } = part.metadata?.['demo'] ?? {}
    if (typeof step !== 'string') continue
    if (part.type !== 'tool_call') ended ||= isDemoEnd(step)
    else if (typeof as === 'string') steps.push({ step, as, result: results.get(part.callId) })
  }
  // After a compaction, this is the only trace of its earlier work.
  ended ||= messages.some((message) => message.role === 'user' && textOf(message.parts).includes(demoSummary()))
  return { steps, ended }
}

interface Facts {
  names: ReadonlySet<string>
  file: string | undefined
  entries: string
}

function factsOf(steps: readonly Played[]): Facts {
  const names = new Set<string>()
  for (const { as, result } of steps) if (result) names.add(`${result.isError ? 'failed' : 'ok'}:${as}`)
  const listing = steps.find((step) => step.as === 'list')?.result
  const entries = listing && !listing.isError ? entriesOf(listing.text) : []
  const file = readableFile(entries)
  if (file !== undefined) names.add('file')
  if (entries.some((entry) => entry.name === 'trestle-demo.md')) names.add('ours')
  return {
    names,
    file,
    entries: entries.length === 0 ? 'nothing' : entries.length === 1 ? 'one entry' : `${entries.length} entries`,
  }
}

/** The lines `type<TAB>size<TAB>name` of a listing; notes and oddly named entries are left out. */
function entriesOf(listing: string): { type: string; size: number; name: string }[] {
  return listing.split('\n').flatMap((line) => {
    const match = /^(file|dir|link|other)\t(\d*)\t([^\t"]+)$/.exec(line)
    return match ? [{ type: match[1]!, size: Number(match[2]), name: match[3]! }] : []
  })
}

function readableFile(entries: readonly { type: string; size: number; name: string }[]): string | undefined {
  const files = entries.filter((entry) => entry.type === 'file' && entry.size > 0)
  for (const wanted of scriptOf().prefer) {
    const file = files.find((entry) => entry.name.toLowerCase() === wanted.toLowerCase())
    if (file) return file.name
  }
  return files.find((entry) =>
    /\.(md|txt|rst|json|toml|ya?ml|ts|tsx|js|mjs|py|go|rs|c|h|cpp|java|rb|php|sh|css|html)$/i.test(entry.name),
  )?.name
}

function holds(step: Step, facts: ReadonlySet<string>): boolean {
  return step.when.every((condition) =>
    condition.startsWith('not ') ? !facts.has(condition.slice(4)) : facts.has(condition),
  )
}

/** `template` with its placeholders replaced; text from files and commands is cut and shown on one line. */
function filled(template: string, facts: Facts, steps: readonly Played[]): string {
  const resultOf = (name: string) => steps.findLast((step) => step.as === name)?.result
  return template.trim().replaceAll(/\{(\w+)(?::(\w+))?\}/g, (whole, word: string, name: string | undefined) => {
    if (word === 'file') return facts.file ?? 'a file'
    if (word === 'entries') return facts.entries
    if (word === 'first' && name !== undefined) return firstLine(resultOf(name)?.text ?? '')
    if (word === 'task' && name !== undefined) return /^task_id: (\S+)$/m.exec(resultOf(name)?.text ?? '')?.[1] ?? ''
    if (word === 'reason' && name !== undefined) return firstLine(resultOf(name)?.text ?? 'it was not tried')
    if (word === 'status' && name !== undefined) return facts.names.has(`ok:${name}`) ? 'done' : 'pending'
    if (word === 'done') return doneList(facts, steps)
    return whole
  })
}

function filledInput(input: Record<string, unknown>, fill: (template: string) => string): Record<string, unknown> {
  const deep = (value: unknown): unknown => {
    if (typeof value === 'string') return value.endsWith('\n') ? `${fill(value)}\n` : fill(value)
    if (Array.isArray(value)) return value.map(deep)
    return typeof value === 'object' && value !== null && !(value instanceof Date)
      ? filledInput(value as Record<string, unknown>, fill)
      : value
  }
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, deep(value)]))
}

function doneList(facts: Facts, steps: readonly Played[]): string {
  const lines = steps.flatMap(({ step, as, result }) => {
    const told = scriptOf()
      .step.find((candidate) => candidate.name === step)
      ?.call.find((call) => call.as === as)?.told
    if (!told) return []
    const words = result === undefined ? told.failed : result.isError ? told.failed : told.ok
    return [`- ${filled(words, facts, steps)}`]
  })
  return lines.length > 0 ? lines.join('\n') : '- nothing: no tool was offered to me'
}

/** The first line that isn't blank, without its line number. */
function firstLine(result: string): string {
  const line = result.split('\n').find((candidate) => candidate.replace(/^\s*\d+\t/, '').trim() !== '') ?? ''
  const plain = line.replace(/^\s*\d+\t/, '').trim()
  return plain === '' ? '(nothing)' : plain.length > 160 ? `${cutText(plain, 160)}…` : plain
}
