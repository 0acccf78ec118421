/** Something that `/name` at the beginning of a message stands for. */
export interface SlashCommand {
  /** Without the slash. */
  name: string
  description: string
  /** Where it comes from, in a word: `project`, `your own`. */
  origin?: string
  /** Does it at once; without it the name stays in the message, and the message is sent as the user finishes it. */
  run?: () => void
  /** Called in place of sending the message, with what stands behind the name. */
  send?: (argument: string) => Promise<unknown>
}

/** What sending a message does when it begins with a command that takes the rest for itself; undefined for any other message. */
export function commandSent(commands: readonly SlashCommand[], text: string): (() => Promise<unknown>) | undefined {
  const match = /^\/([a-z0-9-]+)(?:\s+([\s\S]*))?$/i.exec(text.trim())
  const send = match && commands.find(({ name }) => name === match[1])?.send
  return send ? () => send(match[2]?.trim() ?? '') : undefined
}

/** The commands that fit what stands behind the slash, those that begin so first. */
export function fittingCommands(commands: readonly SlashCommand[], query: string): SlashCommand[] {
  const wanted = query.toLowerCase()
  const rank = ({ name, description }: SlashCommand): number =>
    name.startsWith(wanted) ? 0 : name.includes(wanted) ? 1 : wanted.length > 2 && description.toLowerCase().includes(wanted) ? 2 : 3
  return commands
    .map((command) => ({ command, rank: rank(command) }))
    .filter((entry) => entry.rank < 3)
    .toSorted((a, b) => a.rank - b.rank)
    .map((entry) => entry.command)
}
