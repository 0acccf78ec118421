import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RequestError, type ContentBlock } from '@agentclientprotocol/sdk'
import type { UserPart } from '../../../../shared/model/message'
import type { RecordedEvent, SessionEvent } from '../../../../shared/events/event'

/** A prompt as the engine takes it: files that are only named are named as paths, what is embedded comes with its text. */
export function promptParts(prompt: readonly ContentBlock[], folder: string): UserPart[] {
  const parts: UserPart[] = []
  let open = false
  /** Text goes on in one part, as the user wrote it. */
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

/** `@src/a.ts` for a file; a link for anything else. A line of the file stands behind it. */
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

/** A path, relative inside the project; any other address as it is. */
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
/** How a prompt ended: with its turn, or `removed` before it had one. */
export type PromptOutcome = TurnFinished | 'removed'

interface Waiting {
  /** Set when it waits in the queue. */
  promptId?: string
  turnId?: string
  isCancelled: boolean
  resolve(end: PromptOutcome): void
}

/** A prompt of the client's on its way. */
export interface TrackedPrompt {
  readonly outcome: Promise<PromptOutcome>
  /** It has been queued behind a turn that runs. */
  queued(promptId: string): void
  /** Whether it was given up before it began. */
  isCancelled(): boolean
  /** Nobody waits for it any more: it is over, or came to nothing. */
  drop(): void
}

/** Which of the client's prompts has become which turn, and when that has ended. */
export class PromptTracker {
  readonly #waiting = new Set<Waiting>()
  /** Turns of queued prompts that began before anybody said that they wait for them. */
  readonly #started = new Map<string, string>()
  readonly #onLateCancel: () => void

  /** `onLateCancel`: a turn has begun whose prompt was given up before. */
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
      queued: (promptId) => {
        waiting.promptId = promptId
        const turnId = this.#started.get(promptId)
        if (turnId !== undefined) waiting.turnId = turnId
      },
      drop: () => void this.#waiting.delete(waiting),
    }
  }

  /** Gives up whatever has not begun; returns what of it is queued. */
  cancel(): string[] {
    const left = [...this.#waiting].filter(({ turnId }) => turnId === undefined)
    for (const waiting of left) waiting.isCancelled = true
    return left.flatMap(({ promptId }) => promptId ?? [])
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

  #onTurnStarted(turnId: string, promptId: string | undefined): void {
    if (promptId !== undefined) this.#started.set(promptId, turnId)
    const waiting = [...this.#waiting].find((one) => one.turnId === undefined && one.promptId === promptId)
    if (!waiting) return
    waiting.turnId = turnId
    if (waiting.isCancelled) this.#onLateCancel()
  }
}
