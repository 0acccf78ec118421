import { failureOf } from '../../../shared/errors'
import type { UserPart } from '../../../shared/model/turn/message'
import { type CommandResult, runCommand, completions } from './commands'
import type { Conversation } from './conversation'
import { toEditLine, LINE_BREAK_MARK } from './screen/key-input'
import { oneLine } from './screen/text-layout'
import type { LineResult } from './screen/terminal'

const QUIT_HINT = 'Press Ctrl-C again to leave, or keep typing.'
const CONTINUATION_PROMPT = '  … '

/** Runs the chat until the user leaves: their lines, the turns these start, and the turns' requests. */
export class ChatLoop {
  readonly #conversation: Conversation
  /** Typed text kept while something else came first. */
  #draft = ''
  #isTyping = false
  #wantsToLeave = false
  #hasEnded = false
  readonly #leave = new AbortController()

  constructor(conversation: Conversation) {
    this.#conversation = conversation
  }

  /** Ends the chat from outside, at any point. */
  leave(): void {
    this.#hasEnded = true
    this.#leave.abort()
    this.#conversation.leave()
  }

  async run(first: string | undefined): Promise<void> {
    if (first !== undefined) await this.#send(first)
    while (!this.#hasEnded) {
      if (this.#conversation.isBusy || this.#conversation.pendingRequest()) {
        await this.#turn()
        if (!this.#hasEnded) this.#conversation.showStatus()
      } else await this.#line()
    }
  }

  /** Runs until no turn is running and no request is pending. */
  async #turn(): Promise<void> {
    const conversation = this.#conversation
    let wake: (() => void) | undefined
    const stopListening = conversation.terminal.onBusyInput({
      interrupt: () => {
        conversation.terminal.status('… stopping')
        void conversation.stop()
      },
      typing: () => {
        this.#isTyping = true
        wake?.()
      },
    })
    try {
      while (!this.#hasEnded) {
        const entry = conversation.pendingRequest()
        if (this.#isTyping) await this.#typeAhead()
        else if (entry) await conversation.ask(entry)
        else if (!conversation.isBusy) return
        else {
          const left = new Promise<void>((resolve) =>
            this.#leave.signal.addEventListener('abort', () => resolve(), { once: true }),
          )
          await Promise.race([conversation.nextChange(), left, new Promise<void>((resolve) => (wake = resolve))])
        }
      }
    } finally {
      stopListening()
    }
  }

  /** Queues a message typed while a turn runs, until the turn ends. */
  async #typeAhead(): Promise<void> {
    this.#isTyping = false
    const result = await this.#read(this.#leave.signal)
    if (result.kind === 'line' && result.text.trim() !== '') {
      if (/^\/(?:skills?:)?[\w-]+(\s|$)/.test(result.text)) await this.#take(result.text)
      else await this.#send(result.text)
    } else if (result.kind === 'interrupt' && result.text === '') await this.#conversation.stop()
  }

  /** Reads a line while idle. A turn that starts on its own comes first; typed text is kept. */
  async #line(): Promise<void> {
    const controller = new AbortController()
    const stop = (): void => controller.abort()
    this.#leave.signal.addEventListener('abort', stop, { once: true })
    if (this.#hasEnded) stop()
    const watch = async (): Promise<void> => {
      while (!controller.signal.aborted) {
        if (this.#conversation.isBusy || this.#conversation.pendingRequest()) stop()
        else
          await Promise.race([
            this.#conversation.nextChange(),
            new Promise<void>((resolve) =>
              controller.signal.addEventListener('abort', () => resolve(), { once: true }),
            ),
          ])
      }
    }
    const watching = watch()
    const result = await this.#read(controller.signal)
    stop()
    await watching
    this.#leave.signal.removeEventListener('abort', stop)
    if (result.kind === 'end') this.leave()
    else if (result.kind === 'interrupt' && result.text === '') {
      if (this.#wantsToLeave) this.leave()
      else this.#conversation.printer.note(QUIT_HINT)
      this.#wantsToLeave = true
      return
    } else if (result.kind === 'line' && result.text.trim() !== '') await this.#take(result.text)
    if (result.kind !== 'aborted') this.#wantsToLeave = false
  }

  async #take(text: string): Promise<void> {
    const end: CommandResult = await runCommand(this.#conversation, text.trim()).catch((error: unknown) => {
      this.#conversation.printer.failure(failureOf(error))
      return 'done' as const
    })
    if (end === 'quit') this.leave()
    else if (end === 'message') await this.#send(text)
    else if (end !== 'done') this.#draft = toEditLine(end.draft)
  }

  async #send(text: string): Promise<void> {
    const { engine, sessionId, printer } = this.#conversation
    const parts: UserPart[] = [{ type: 'text', text }]
    try {
      const { queued } = await engine.sessions.prompt(sessionId, parts)
      if (queued) printer.note(`Queued until this turn ends (Ctrl-C cancels it): ${oneLine(text)}`)
    } catch (error) {
      this.#conversation.reportUnsent(error)
    }
  }

  /** Reads one message; a backslash at the end of a line continues it. */
  async #read(signal: AbortSignal): Promise<LineResult> {
    const { terminal, engine, sessionId } = this.#conversation
    const draft = [toEditLine(this.#conversation.takeWithdrawn()), this.#draft]
      .filter((text) => text !== '')
      .join(LINE_BREAK_MARK)
    this.#draft = ''
    const history = (await engine.checkpoints.points(sessionId)).map(({ text }) => text).toReversed()
    let before = ''
    for (;;) {
      const result = await terminal.readLine({
        prompt: before === '' ? this.#prompt() : terminal.style.dim(CONTINUATION_PROMPT),
        text: before === '' ? draft : '',
        history,
        complete: (typed) => completions(this.#conversation, typed),
        signal,
      })
      if (result.kind === 'aborted') this.#draft = toEditLine(before) + result.text
      if (result.kind !== 'line') return result
      if (!result.text.endsWith('\\')) return { kind: 'line', text: before + result.text }
      before += `${result.text.slice(0, -1)}\n`
    }
  }

  #prompt(): string {
    const { terminal, header } = this.#conversation
    const mode = header.plan?.active ? 'plan ' : header.mode === 'ask' ? '' : `${header.mode} `
    return `${terminal.style.dim(mode)}${terminal.style.blue('›')} `
  }
}
