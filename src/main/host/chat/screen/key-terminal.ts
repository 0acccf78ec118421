import { clearScreenDown, cursorTo, moveCursor } from 'node:readline'
import { createInterface, type Interface } from 'node:readline/promises'
import { Readable } from 'node:stream'
import { asEdited, GRACE_MS, Pastes, TypedReader } from './key-input'
import { createStyle } from './style'
import type { KeyRequest, LineRequest, LineResult, Terminal } from './terminal'

const PASTES_ON = '\x1b[?2004h'
const PASTES_OFF = '\x1b[?2004l'
const ERASE_LINE = '\r\x1b[K'
const MOST_HISTORY = 200
/** The rest of a key's code comes at once, or it is the Escape key. */
const ESCAPE_MS = 100
/** A program that is to be stopped is stopped in this time, if at all. */
const STOPPED_MS = 200

/** What takes the keys at the moment. Without one, they wait. */
interface Taker {
  /** Takes what it can; the rest stays in the reader. */
  take(): void
  /** After the program was in the background. */
  refresh(): void
  /** Nothing comes any more. */
  end(): void
}

/** A real terminal: keys come as they are pressed, the line being typed can be edited, and nothing written tears it apart. */
export class KeyTerminal implements Terminal {
  readonly style
  readonly isInteractive = true
  isMidLine = false
  readonly #in: NodeJS.ReadStream
  readonly #out: NodeJS.WriteStream
  readonly #typed = new TypedReader()
  readonly #pastes = new Pastes()
  #taker: Taker | undefined
  #busy: { interrupt(): void; typing(): void } | undefined
  /** What was written while something is read. */
  #held: string | undefined
  #status: string | undefined
  #isClosed = false
  #escape: NodeJS.Timeout | undefined

  constructor(input: NodeJS.ReadStream, out: NodeJS.WriteStream, colours: boolean) {
    this.style = createStyle(colours)
    this.#in = input
    this.#out = out
    input.setEncoding('utf8')
    input.on('data', this.#hear)
    process.on('exit', this.#restore)
    this.#prepare()
  }

  get columns(): number {
    return this.#out.columns || 80
  }

  write(text: string): void {
    if (text === '') return
    if (this.#held !== undefined) {
      this.#held += text
      return
    }
    this.status(undefined)
    this.#out.write(text)
    this.isMidLine = !text.endsWith('\n')
  }

  freshLine(): void {
    if (this.#held === undefined ? this.isMidLine : this.#held !== '' && !this.#held.endsWith('\n')) this.write('\n')
  }

  status(text: string | undefined): void {
    if (this.#status === text || (text !== undefined && (this.#held !== undefined || this.isMidLine))) return
    if (this.#status !== undefined) this.#out.write(ERASE_LINE)
    if (text !== undefined) this.#out.write(this.style.dim(text))
    this.#status = text
  }

  whileBusy(listener: { interrupt(): void; typing(): void }): () => void {
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
    this.#held = ''
    const keys = new Readable({ read() {} })
    const line = createInterface({
      input: keys,
      output: this.#out,
      terminal: true,
      prompt,
      history: history.slice(0, MOST_HISTORY).map(asEdited),
      removeHistoryDuplicates: true,
      escapeCodeTimeout: 100,
      ...(complete && { completer: (typed: string) => complete(typed).catch((): [string[], string] => [[], typed]) }),
    })
    line.prompt()
    if (text !== '') line.write(text)
    return new Promise((resolve) => {
      const finish = (result: LineResult): void => {
        if (this.#taker !== taker) return
        signal?.removeEventListener('abort', abort)
        this.#taker = undefined
        if (result.kind === 'aborted') this.#erase(line)
        else if (result.kind !== 'line') this.#out.write('\n')
        line.close()
        this.#release()
        resolve(result)
      }
      const abort = (): void => finish({ kind: 'aborted', text: line.line })
      let isSent = false
      const taker: Taker = {
        take: () => {
          while (this.#taker === taker && !isSent) {
            const piece = this.#typed.next()
            if (!piece) return
            if (piece.kind === 'interrupt') finish({ kind: 'interrupt', text: line.line })
            else if (piece.kind === 'suspend') this.#suspend()
            else if (piece.kind === 'paste') keys.push(this.#pastes.take(piece.text))
            else if (piece.kind === 'keys') keys.push(piece.text)
            else {
              // What comes behind it belongs to whatever is read next.
              isSent = true
              keys.push('\r')
            }
          }
        },
        refresh: () => line.prompt(true),
        end: abort,
      }
      this.#taker = taker
      line.on('line', (typed) => finish({ kind: 'line', text: this.#pastes.meant(typed) }))
      line.on('close', () => finish({ kind: 'end' }))
      signal?.addEventListener('abort', abort, { once: true })
      if (signal?.aborted) abort()
      else this.#pump()
    })
  }

  /** Without showing, or keeping, what is typed. */
  #readSecret({ prompt, signal }: LineRequest): Promise<LineResult> {
    this.freshLine()
    this.#held = ''
    this.#out.write(prompt)
    let typed = ''
    return new Promise((resolve) => {
      const finish = (result: LineResult): void => {
        if (this.#taker !== taker) return
        signal?.removeEventListener('abort', abort)
        this.#taker = undefined
        this.#out.write('\n')
        this.#release()
        resolve(result)
      }
      const abort = (): void => finish({ kind: 'aborted', text: '' })
      const taker: Taker = {
        take: () => {
          for (let piece = this.#typed.next(); piece && this.#taker === taker; piece = this.#typed.next()) {
            if (piece.kind === 'interrupt') finish({ kind: 'interrupt', text: '' })
            else if (piece.kind === 'enter') finish({ kind: 'line', text: typed })
            else if (piece.kind === 'suspend') this.#suspend()
            else if (piece.kind === 'keys' || piece.kind === 'paste')
              for (const char of piece.text)
                typed = char === '\x7f' || char === '\b' ? typed.slice(0, -1) : char === '\x15' ? '' : typed + char
          }
        },
        refresh: () => void this.#out.write(prompt),
        end: abort,
      }
      this.#taker = taker
      signal?.addEventListener('abort', abort, { once: true })
      if (signal?.aborted) abort()
      else this.#pump()
    })
  }

  readKey({ keys, prompt, signal }: KeyRequest): Promise<string | undefined> {
    this.freshLine()
    this.status(undefined)
    this.#held = ''
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
        }, GRACE_MS)
      }
      const finish = (key: string | undefined): void => {
        if (this.#taker !== taker) return
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
        this.#taker = undefined
        if (key !== undefined) this.#out.write(`${key}\n`)
        else if (isArmed) this.#out.write(ERASE_LINE)
        this.#release()
        resolve(key)
      }
      const abort = (): void => finish(undefined)
      const taker: Taker = {
        take: () => {
          for (let piece = this.#typed.next(); piece && this.#taker === taker; piece = this.#typed.next()) {
            if (piece.kind === 'interrupt') finish(undefined)
            else if (piece.kind === 'suspend') this.#suspend()
            else if (isArmed && piece.kind === 'keys' && piece.text.length === 1 && keys.includes(piece.text)) finish(piece.text)
            else disarm()
          }
        },
        refresh: disarm,
        end: abort,
      }
      this.#taker = taker
      disarm()
      signal?.addEventListener('abort', abort, { once: true })
      if (signal?.aborted) abort()
    })
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#taker?.end()
    this.status(undefined)
    this.freshLine()
    process.off('exit', this.#restore)
    this.#restore()
    this.#in.off('data', this.#hear)
    clearTimeout(this.#escape)
    this.#in.pause()
  }

  readonly #hear = (text: string): void => {
    this.#typed.add(text)
    this.#pump()
    clearTimeout(this.#escape)
    this.#escape = setTimeout(() => this.#typed.dropEscape(), ESCAPE_MS)
  }

  #pump(): void {
    if (this.#taker) {
      this.#taker.take()
      return
    }
    while (this.#busy && !this.#taker) {
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

  /** What was held back comes now. */
  #release(): void {
    const held = this.#held ?? ''
    this.#held = undefined
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

  /** Ctrl-Z, as every program answers it. */
  #suspend(): void {
    if (process.platform === 'win32') return
    this.#restore()
    const goOn = (): void => {
      process.off('SIGCONT', goOn)
      clearTimeout(timer)
      if (this.#isClosed) return
      this.#prepare()
      this.#taker?.refresh()
    }
    process.once('SIGCONT', goOn)
    // Where no shell could take over (a terminal that runs nothing else, `ssh -t host trestle chat`) the system does not stop it, and nothing continues it.
    const timer = setTimeout(goOn, STOPPED_MS)
    process.kill(process.pid, 'SIGTSTP')
  }
}
