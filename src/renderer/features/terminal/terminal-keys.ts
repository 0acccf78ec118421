/** What a key pressed in a terminal is for. */
export type KeyMeaning = 'program' | 'browser' | 'leave' | 'find' | 'copy'

type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'isComposing'>

const APPLE = /Mac|iPhone|iPad/.test(typeof navigator === 'undefined' ? '' : navigator.platform)

/**
 * Escape leaves the terminal: the one key that must never go to the program, since Tab does. Who wants the program to get an Escape presses Ctrl+[,
 * which is the same character. Ctrl+C copies while something is selected and interrupts otherwise.
 */
export function keyMeaning(press: KeyPress, hasSelection: boolean, apple = APPLE): KeyMeaning {
  const { key, ctrlKey, metaKey, altKey, shiftKey, isComposing } = press
  if (isComposing) return 'program'
  if (key === 'Escape' && !ctrlKey && !metaKey && !altKey) return 'leave'
  const letter = key.toLowerCase()
  const mod = apple ? metaKey && !ctrlKey : ctrlKey && !metaKey
  if (mod && !altKey) {
    if (letter === 'v') return 'browser'
    if (letter === 'f' && !shiftKey) return 'find'
    if (letter === 'c' && (hasSelection || shiftKey)) return 'copy'
  }
  // The app's own shortcuts on a Mac.
  if (apple && metaKey) return 'browser'
  return 'program'
}
