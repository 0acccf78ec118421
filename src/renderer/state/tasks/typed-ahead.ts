type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'isComposing'>

/** Keys that are being collected; `end` stops that and returns what they are for a shell. */
export interface TypedAhead {
  end(): string
}

const waiting = new Map<string, TypedAhead>()

/**
 * Keeps what is typed from now on for a terminal that is being opened: it would go to what has the focus, such as the
 * message box, where Enter sends it to the agent. Ends at a click, and at a key that is not for a shell, such as F6.
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
    // A shell would run the lines, since it cannot be told yet that they are pasted.
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

/** Holds what is typed until the terminal is on screen. */
export function keepTypedFor(terminalId: string, typed: TypedAhead): void {
  waiting.set(terminalId, typed)
}

/** Ends the collecting for a terminal; what was typed, once. */
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
 * What a key is for a shell; undefined for a key that is not for one. `paste`: its text comes with an event of its own;
 * `modifier`: held for the next key.
 */
export function keyData(press: KeyPress): string | undefined {
  const { key, ctrlKey, metaKey, altKey, shiftKey, isComposing } = press
  if (['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock'].includes(key)) return 'modifier'
  if ((ctrlKey || metaKey) && key.toLowerCase() === 'v') return 'paste'
  // AltGr, which types characters of many keyboards, is Ctrl and Alt for the browser.
  const typesCharacter = /^.$/u.test(key) && !metaKey && ctrlKey === altKey
  if (typesCharacter && !isComposing) return key
  if (isComposing || metaKey || altKey) return undefined
  if (ctrlKey) {
    const isLetter = !shiftKey && /^[a-z]$/i.test(key)
    return isLetter ? String.fromCodePoint(key.toUpperCase().charCodeAt(0) - 64) : undefined
  }
  return shiftKey && key !== 'Enter' && key !== 'Backspace' ? undefined : NAMED[key]
}
