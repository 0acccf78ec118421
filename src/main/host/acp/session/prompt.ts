import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RequestError, type ContentBlock } from '@agentclientprotocol/sdk'
import type { UserPart } from '../../../../shared/model/turn/message'
import type { RecordedEvent, SessionEvent } from '../../../../shared/events/event'

/** Converts a prompt for the engine: linked files become paths, embedded resources their text. */
export function promptParts(prompt: readonly ContentBlock[], folder: string): UserPart[] {
  const parts: UserPart[] = []
  let open = false
  /** Appends text to the last text part, as the user wrote it. */
  const say = (text: string, joins: boolean): void => {
    const last = parts.at(-1)
    if (joins && open && last?.type === 'text') last.text += text
    else parts.push({ type: 'text', text })
    open = joins
  }
  for (const block of prompt) {
    switch (block.type) {
      case 'text':
        say(block.text, true)
        break
      case 'resource_link':
        say(mention(block.uri, block.title ?? block.name, folder), true)
        break
      case 'image':
        parts.push({
          type: 'media',
          mediaType: block.mimeType,
          data: block.data,
          ...(block.uri && { name: nameOf(block.uri, folder) }),
        })
        break
      case 'resource': {
        const { resource } = block
        if ('text' in resource) say(embedded(resource.uri, resource.text, folder), false)
        else if (resource.mimeType?.startsWith('image/') || resource.mimeType === 'application/pdf')
          parts.push({
            type: 'media',
            mediaType: resource.mimeType,
            data: resource.blob,
            name: nameOf(resource.uri, folder),
          })
        else
          say(
            `[${nameOf(resource.uri, folder)}: ${resource.mimeType ?? 'binary data'}, which cannot be read here]`,
            true,
          )
        break
      }
      default:
        throw RequestError.invalidParams({ type: block.type }, 'audio cannot be understood here; send text or images')
    }
  }
  const isEmpty = parts.every((part) => part.type === 'text' && part.text.trim() === '')
  if (isEmpty) throw RequestError.invalidParams(undefined, 'the prompt is empty')
  return parts.filter((part) => part.type !== 'text' || part.text !== '')
}

/** `@src/a.ts` for a file, followed by the line numbers in its URI, if any; a link for anything else. */
function mention(uri: string, title: string, folder: string): string {
  if (!uri.startsWith('file:')) return `[${title}](${uri})`
  const lines = /#L?(\d+)(?:[:-]L?(\d+))?$/.exec(uri)
  const [from, to] = [lines?.[1], lines?.[2]]
  const place = from === undefined ? '' : to === undefined ? ` (line ${from})` : ` (lines ${from}-${to})`
  return `@${nameOf(uri, folder)}${place}`
}

function embedded(uri: string, text: string, folder: string): string {
  return `<file path=${JSON.stringify(nameOf(uri, folder))}>\n${text.replace(/\n$/, '')}\n</file>`
}

/** A path, relative inside the project; any other URI unchanged. */
function nameOf(uri: string, folder: string): string {
  if (!uri.startsWith('file:')) return uri
  let path: string
  try {
    path = fileURLToPath(uri.replace(/[#?].*$/, ''))
  } catch {
    return uri
  }
  const way = relative(folder, path)
  return way === '' ? '.' : way.startsWith('..') ? path : way
}

type TurnFinished = RecordedEvent & { type: 'turn.finished' }
/** How a prompt ended: with its turn, or `removed` before its turn started. */
export type PromptOutcome = TurnFinished | 'removed'

interface Waiting {
  /** Set when it is queued. */
  promptId?: string
  turnId?: string
  isCancelled: boolean
  resolve(end: PromptOutcome): void
}

/** A prompt of the client in progress. */
export interface TrackedPrompt {
  readonly outcome: Promise<PromptOutcome>
  /** Call it when the prompt was queued behind a running turn. */
  queued(promptId: string): void
  /** Whether it was cancelled before its turn started. */
  isCancelled(): boolean
  /** Removes it: its turn has ended, or it was never started. */
  drop(): void
}

/** Tracks which prompt of the client became which turn, and when that turn ended. */
export class PromptTracker {
  readonly #waiting = new Set<Waiting>()
  /** Turns of queued prompts that started before their prompt was registered. */
  readonly #started = new Map<string, string>()
  readonly #onLateCancel: () => void

  /** `onLateCancel`: called when a turn starts whose prompt was already cancelled. */
  constructor(onLateCancel: () => void) {
    this.#onLateCancel = onLateCancel
  }

  track(): TrackedPrompt {
    const { promise, resolve } = Promise.withResolvers<PromptOutcome>()
    const waiting: Waiting = { isCancelled: false, resolve }
    this.#waiting.add(waiting)
    return {
      outcome: promise,
      isCancelled: () => waiting.isCancelled,
      queued: (promptId) => this.#onQueued(waiting, promptId),
      drop: () => void this.#waiting.delete(waiting),
    }
  }

  /** Cancels prompts that have not started; returns the queued ones. */
  cancel(): string[] {
    const left = [...this.#waiting].filter(({ turnId }) => turnId === undefined)
    for (const waiting of left) waiting.isCancelled = true
    return left.flatMap(({ promptId }) => promptId ?? [])
  }

  /** Stops waiting for all prompts, which continue. */
  leave(): void {
    for (const waiting of this.#waiting) waiting.resolve('removed')
  }

  onEvent(event: SessionEvent): void {
    switch (event.type) {
      case 'turn.started':
        if (!event.news) this.#onTurnStarted(event.turnId, event.promptId)
        return
      case 'turn.steered':
        if (event.promptId !== undefined) this.#onTurnStarted(event.turnId, event.promptId)
        return
      case 'prompt.removed':
        for (const waiting of this.#waiting) if (waiting.promptId === event.promptId) waiting.resolve('removed')
        return
      case 'turn.finished':
        for (const waiting of this.#waiting) if (waiting.turnId === event.turnId) waiting.resolve(event)
        this.#started.clear()
        return
      default:
    }
  }

  #onQueued(waiting: Waiting, promptId: string): void {
    waiting.promptId = promptId
    const turnId = this.#started.get(promptId)
    const taken = waiting.turnId
    if (turnId === undefined) delete waiting.turnId
    else waiting.turnId = turnId
    // A turn that started before it was queued is that of another prompt, which was ready earlier.
    if (taken !== undefined && taken !== turnId) this.#onTurnStarted(taken, undefined)
  }

  #onTurnStarted(turnId: string, promptId: string | undefined): void {
    if (promptId !== undefined) this.#started.set(promptId, turnId)
    const waiting = [...this.#waiting].find((one) => one.turnId === undefined && one.promptId === promptId)
    if (!waiting) return
    waiting.turnId = turnId
    if (waiting.isCancelled) this.#onLateCancel()
  }
}
