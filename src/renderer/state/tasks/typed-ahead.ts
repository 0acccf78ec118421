type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'isComposing'>

/** Keys being collected; `end` stops collecting and returns them as shell input. */
export interface TypedAhead {
  end(): string
}

const waiting = new Map<string, TypedAhead>()

/**
 * Collects keys for a terminal that is opening. Otherwise they would go to the focused element, such as the message
 * box, where Enter sends them to the agent. Ends at a click, or at a key that is not for a shell, such as F6.
 */
export function collectKeys(page: Document = document): TypedAhead {
  let text = ''
  const stop = new AbortController()
  const { signal } = stop
  const onKey = (event: KeyboardEvent): void => {
    const data = keyData(event)
    if (data === 'modifier' || data === 'paste') return
    if (data === undefined) return stop.abort()
    text += data
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  const onPaste = (event: ClipboardEvent): void => {
    const pasted = event.clipboardData?.getData('text/plain') ?? ''
    // A shell would run the lines, because bracketed paste is not available yet.
    if (/[\r\n]/.test(pasted)) return stop.abort()
    text += pasted
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  page.addEventListener('keydown', onKey, { capture: true, signal })
  page.addEventListener('paste', onPaste, { capture: true, signal })
  page.addEventListener('pointerdown', () => stop.abort(), { capture: true, signal })
  return {
    end() {
      stop.abort()
      const typed = text
      text = ''
      return typed
    },
  }
}

/** Keeps the collected keys until the terminal is on screen. */
export function keepTypedFor(terminalId: string, typed: TypedAhead): void {
  waiting.set(terminalId, typed)
}

/** Stops collecting for a terminal and returns the input, once. */
export function takeTyped(terminalId: string): string {
  const typed = waiting.get(terminalId)?.end() ?? ''
  waiting.delete(terminalId)
  return typed
}

const NAMED: Readonly<Record<string, string>> = {
  Enter: '\r',
  Tab: '\t',
  Backspace: '\u007f',
  Escape: '\u001b',
  ArrowUp: '\u001b[A',
  ArrowDown: '\u001b[B',
  ArrowRight: '\u001b[C',
  ArrowLeft: '\u001b[D',
}

/**
 * The shell input for a key; undefined if the key is not for a shell. `paste`: the text comes with a separate event;
 * `modifier`: held for the next key.
 */
export function keyData(press: KeyPress): string | undefined {
  const { key, ctrlKey, metaKey, altKey, shiftKey, isComposing } = press
  if (['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock'].includes(key)) return 'modifier'
  if ((ctrlKey || metaKey) && key.toLowerCase() === 'v') return 'paste'
  // Browsers report AltGr, which types characters on many keyboards, as Ctrl and Alt.
  const typesCharacter = /^.$/u.test(key) && !metaKey && ctrlKey === altKey
  if (typesCharacter && !isComposing) return key
  if (isComposing || metaKey || altKey) return undefined
  if (ctrlKey) {
    const isLetter = !shiftKey && /^[a-z]$/i.test(key)
    return isLetter ? String.fromCodePoint(key.toUpperCase().charCodeAt(0) - 64) : undefined
  }
  return shiftKey && key !== 'Enter' && key !== 'Backspace' ? undefined : NAMED[key]
}
