import { useEffect, useMemo } from 'react'
import { create } from 'zustand'
import {
  SHORTCUT_COMMANDS,
  shortcutOf,
  type ShortcutChoices,
  type ShortcutCommand,
} from '../../../shared/configuration/shortcuts'

interface Shortcuts {
  /** The keys that the user chose. */
  choices: ShortcutChoices
  /** Commands of the page that are in no list: their ids, labels and default keys. */
  others: readonly ShortcutCommand[]
}

/** The user's shortcut settings. */
export const useShortcutChoices = create<Shortcuts>()(() => ({ choices: {}, others: [] }))

/** The current keys of a command; undefined if it has no keys. */
export function useKeys(id: string): string | undefined {
  return useShortcutChoices((state) => shortcutOf(id, state.choices))
}

interface Keyed {
  id: string
  label: string
  group: string
  shortcut?: string
}

/** Commands with their current keys. Registers commands with keys that are in no list. */
export function useCommandKeys<Command extends Keyed>(commands: readonly Command[]): Command[] {
  const choices = useShortcutChoices((state) => state.choices)
  useEffect(() => {
    const found = commands.flatMap(({ id, label, group, shortcut }) =>
      shortcut === undefined || isListed(id) ? [] : [{ id, label, group, keys: shortcut }],
    )
    useShortcutChoices.setState(({ others }) => {
      const unknown = found.filter(({ id }) => !others.some((other) => other.id === id))
      return unknown.length === 0 ? {} : { others: [...others, ...unknown] }
    })
  }, [commands])
  return useMemo(() => commands.map((command) => withKeys(command, choices)), [commands, choices])
}

function isListed(id: string): boolean {
  return SHORTCUT_COMMANDS.some((command) => command.id === id)
}

function withKeys<Command extends Keyed>(command: Command, choices: ShortcutChoices): Command {
  const { shortcut: usual, ...rest } = command
  const keys = shortcutOf(command.id, choices) ?? (choices[command.id] === '' ? undefined : usual)
  return { ...rest, ...(keys !== undefined && { shortcut: keys }) } as Command
}
