import { safeText } from './text-layout'
import { clearScreenDown, cursorTo, moveCursor } from 'node:readline'
import { createInterface, type Interface } from 'node:readline/promises'
import { Readable } from 'node:stream'
import { toEditLine, APPROVAL_GRACE_MS, PasteBuffer, KeyParser } from './key-input'
import { createStyle, type KeyRequest, type LineRequest, type LineResult, type Terminal } from './terminal'

const PASTES_ON = '\x1b[?2004h'
const PASTES_OFF = '\x1b[?2004l'
const ERASE_LINE = '\r\x1b[K'
const MAX_HISTORY = 200
/** Time in ms for the rest of a key code; after it, the key was Escape. */
const ESCAPE_MS = 100
/** Time in ms within which a suspend takes effect, if at all. */
const STOPPED_MS = 200

/** The current consumer of keys. Without one, keys are buffered. */
interface InputHandler {
  /** Consumes the keys it can; the rest stays in the reader. */
  take(): void
  /** Called when the program returns from the background. */
  refresh(): void
  /** Called at the end of the input. */
  end(): void
}

/** A real terminal: reads single keys, offers line editing, and keeps output from breaking the edited line. */
export class KeyTerminal implements Terminal {
  readonly style
  readonly isInteractive = true
  isMidLine = false
  readonly #in: NodeJS.ReadStream
  readonly #out: NodeJS.WriteStream
  readonly #typed = new KeyParser()
  readonly #pastes = new PasteBuffer()
  #handler: InputHandler | undefined
  #busy: { interrupt(): void; typing(): void } | undefined
  /** Output held back while a line is read. */
  #pendingOutput: string | undefined
  #status: string | undefined
  #isClosed = false
  #escape: NodeJS.Timeout | undefined

  constructor(input: NodeJS.ReadStream, out: NodeJS.WriteStream, colours: boolean) {
    this.style = createStyle(colours)
    this.#in = input
    this.#out = out
    input.setEncoding('utf8')
    input.on('data', this.#onInput)
    process.on('exit', this.#restore)
    this.#prepare()
  }

  get columns(): number {
    return this.#out.columns || 80
  }

  write(text: string): void {
    if (text === '') return
    if (this.#pendingOutput !== undefined) {
      this.#pendingOutput += text
      return
    }
    this.status(undefined)
    this.#out.write(text)
    this.isMidLine = !text.endsWith('\n')
  }

  alert(title: string): void {
    this.#out.write(`\u001B]2;${safeText(title).replaceAll(/\s+/g, ' ')}\u0007\u0007`)
  }

  freshLine(): void {
    if (
      this.#pendingOutput === undefined
        ? this.isMidLine
        : this.#pendingOutput !== '' && !this.#pendingOutput.endsWith('\n')
    )
      this.write('\n')
  }

  status(text: string | undefined): void {
    if (this.#status === text || (text !== undefined && (this.#pendingOutput !== undefined || this.isMidLine))) return
    if (this.#status !== undefined) this.#out.write(ERASE_LINE)
    if (text !== undefined) this.#out.write(this.style.dim(text))
    this.#status = text
  }

  onBusyInput(listener: { interrupt(): void; typing(): void }): () => void {
    this.#busy = listener
    this.#pump()
    return () => {
      if (this.#busy === listener) this.#busy = undefined
    }
  }

  readLine(request: LineRequest): Promise<LineResult> {
    const { prompt, text = '', history = [], complete, signal } = request
    if (request.isSecret) return this.#readSecret(request)
    this.freshLine()
    this.status(undefined)
    this.#pendingOutput = ''
    const keys = new Readable({ read() {} })
    const line = createInterface({
      input: keys,
      output: this.#out,
      terminal: true,
      prompt,
      history: history.slice(0, MAX_HISTORY).map(toEditLine),
      removeHistoryDuplicates: true,
      escapeCodeTimeout: 100,
      ...(complete && { completer: (typed: string) => safeCompletions(complete, typed) }),
    })
    line.prompt()
    if (text !== '') line.write(toEditLine(text))
    return new Promise((resolve) => {
      const finish = (result: LineResult): void => {
        if (this.#handler !== taker) return
        signal?.removeEventListener('abort', abort)
        this.#handler = undefined
        if (result.kind === 'aborted') this.#erase(line)
        else if (result.kind !== 'line') this.#out.write('\n')
        line.close()
        this.#release()
        resolve(result)
      }
      const abort = (): void => finish({ kind: 'aborted', text: line.line })
      let isSent = false
      const taker: InputHandler = {
        take: () => {
          while (this.#handler === taker && !isSent) {
            const piece = this.#typed.next()
            if (!piece) return
            if (piece.kind === 'interrupt') finish({ kind: 'interrupt', text: line.line })
            else if (piece.kind === 'suspend') this.#suspend()
            else if (piece.kind === 'paste') keys.push(this.#pastes.add(piece.text))
            else if (piece.kind === 'keys') keys.push(piece.text)
            else {
              // Later input belongs to the next read.
              isSent = true
              keys.push('\r')
            }
          }
        },
        refresh: () => line.prompt(true),
        end: abort,
      }
      this.#handler = taker
      line.on('line', (typed) => finish({ kind: 'line', text: this.#pastes.expand(typed) }))
      line.on('close', () => finish({ kind: 'end' }))
      signal?.addEventListener('abort', abort, { once: true })
      if (signal?.aborted) abort()
      else this.#pump()
    })
  }

  /** Reads without echo or history. */
  #readSecret({ prompt, signal }: LineRequest): Promise<LineResult> {
    this.freshLine()
    this.#pendingOutput = ''
    this.#out.write(prompt)
    let typed = ''
    return new Promise((resolve) => {
      const finish = (result: LineResult): void => {
        if (this.#handler !== taker) return
        signal?.removeEventListener('abort', abort)
        this.#handler = undefined
        this.#out.write('\n')
        this.#release()
        resolve(result)
      }
      const abort = (): void => finish({ kind: 'aborted', text: '' })
      const taker: InputHandler = {
        take: () => {
          for (let piece = this.#typed.next(); piece && this.#handler === taker; piece = this.#typed.next()) {
            if (piece.kind === 'interrupt') finish({ kind: 'interrupt', text: '' })
            else if (piece.kind === 'enter') finish({ kind: 'line', text: typed })
            else if (piece.kind === 'suspend') this.#suspend()
            else if (piece.kind === 'keys' || piece.kind === 'paste')
              for (const char of piece.text)
                typed =
                  char === '\x7f' || char === '\b' ? typed.replace(/.$/su, '') : char === '\x15' ? '' : typed + char
          }
        },
        refresh: () => void this.#out.write(prompt),
        end: abort,
      }
      this.#handler = taker
      signal?.addEventListener('abort', abort, { once: true })
      if (signal?.aborted) abort()
      else this.#pump()
    })
  }

  readKey({ keys, prompt, signal }: KeyRequest): Promise<string | undefined> {
    this.freshLine()
    this.status(undefined)
    this.#pendingOutput = ''
    this.#typed.clear()
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined
      let isArmed = false
      const disarm = (): void => {
        if (isArmed) this.#out.write(ERASE_LINE)
        isArmed = false
        clearTimeout(timer)
        timer = setTimeout(() => {
          isArmed = true
          this.#out.write(prompt)
        }, APPROVAL_GRACE_MS)
      }
      const finish = (key: string | undefined): void => {
        if (this.#handler !== taker) return
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
        this.#handler = undefined
        if (key !== undefined) this.#out.write(`${key}\n`)
        else if (isArmed) this.#out.write(ERASE_LINE)
        this.#release()
        resolve(key)
      }
      const abort = (): void => finish(undefined)
      const taker: InputHandler = {
        take: () => {
          for (let piece = this.#typed.next(); piece && this.#handler === taker; piece = this.#typed.next()) {
            if (piece.kind === 'interrupt') finish(undefined)
            else if (piece.kind === 'suspend') this.#suspend()
            else if (isArmed && piece.kind === 'keys' && piece.text.length === 1 && keys.includes(piece.text))
              finish(piece.text)
            else disarm()
          }
        },
        refresh: disarm,
        end: abort,
      }
      this.#handler = taker
      disarm()
      signal?.addEventListener('abort', abort, { once: true })
      if (signal?.aborted) abort()
    })
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#handler?.end()
    this.status(undefined)
    this.freshLine()
    process.off('exit', this.#restore)
    this.#restore()
    this.#in.off('data', this.#onInput)
    clearTimeout(this.#escape)
    this.#in.pause()
  }

  readonly #onInput = (text: string): void => {
    this.#typed.add(text)
    this.#pump()
    clearTimeout(this.#escape)
    this.#escape = setTimeout(() => this.#typed.dropEscape(), ESCAPE_MS)
  }

  #pump(): void {
    if (this.#handler) {
      this.#handler.take()
      return
    }
    while (this.#busy && !this.#handler) {
      const piece = this.#typed.next()
      if (!piece) return
      if (piece.kind === 'interrupt') this.#busy.interrupt()
      else if (piece.kind === 'suspend') this.#suspend()
      else if (piece.kind === 'paste' || (piece.kind === 'keys' && /^[^\p{Cc}]/u.test(piece.text))) {
        this.#typed.putBack(piece)
        this.#busy.typing()
        return
      }
    }
  }

  /** Writes the output that was held back. */
  #release(): void {
    const held = this.#pendingOutput ?? ''
    this.#pendingOutput = undefined
    this.isMidLine = false
    this.write(held)
  }

  #erase(line: Interface): void {
    const { rows } = line.getCursorPos()
    moveCursor(this.#out, 0, -rows)
    cursorTo(this.#out, 0)
    clearScreenDown(this.#out)
  }

  #prepare(): void {
    this.#in.setRawMode(true)
    this.#in.resume()
    this.#out.write(PASTES_ON)
  }

  readonly #restore = (): void => {
    this.#out.write(PASTES_OFF)
    this.#in.setRawMode(false)
  }

  /** Ctrl-Z: suspends the program. */
  #suspend(): void {
    if (process.platform === 'win32') return
    this.#restore()
    const goOn = (): void => {
      process.off('SIGCONT', goOn)
      clearTimeout(timer)
      if (this.#isClosed) return
      this.#prepare()
      this.#handler?.refresh()
    }
    process.once('SIGCONT', goOn)
    // Without a job-control shell (a terminal that runs only this program, `ssh -t host trestle chat`) the system does
    // not stop it, and nothing would continue it.
    const timer = setTimeout(goOn, STOPPED_MS)
    process.kill(process.pid, 'SIGTSTP')
  }
}

/** Without those that would control the terminal: a file can have any name. */
async function safeCompletions(
  complete: NonNullable<LineRequest['complete']>,
  typed: string,
): Promise<[string[], string]> {
  const [fits, part] = await complete(typed).catch((): [string[], string] => [[], typed])
  return [fits.filter((fit) => toEditLine(fit) === fit), part]
}
