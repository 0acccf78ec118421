import { shortcutAria } from '../format/shortcut'
import { useKeys } from '../state/page/shortcuts'
import { Kbd } from './tooltip'

/** The user's keys for a command; empty for a command without keys. */
export function CommandKeys({ id }: { id: string }) {
  const keys = useKeys(id)
  return keys === undefined ? null : <Kbd keys={keys} />
}

/** The keys of a command for `aria-keyshortcuts`. */
export function useAriaKeys(id: string): string | undefined {
  const keys = useKeys(id)
  return keys === undefined ? undefined : shortcutAria(keys)
}
