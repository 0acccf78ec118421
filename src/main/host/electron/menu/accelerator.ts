import { keysOf } from '../../../../shared/configuration/shortcuts'

const NAMES: Readonly<Record<string, string>> = {
  Mod: 'CmdOrCtrl',
  Ctrl: 'Control',
  Esc: 'Escape',
  Del: 'Delete',
  '+': 'Plus',
}

/** The `accelerator` of a menu item for a shortcut; nothing for keys that a page must get, such as `?`. */
export function acceleratorOf(shortcut: string | undefined): { accelerator?: string } {
  if (shortcut === undefined || shortcut === '') return {}
  const keys = keysOf(shortcut)
  const isPlain = !keys.slice(0, -1).some((key) => key !== 'Shift') && !/^F\d/.test(keys.at(-1) ?? '')
  return isPlain ? {} : { accelerator: keys.map((key) => NAMES[key] ?? key).join('+') }
}
