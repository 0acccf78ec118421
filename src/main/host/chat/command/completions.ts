import { COMMANDS } from './commands'
import type { Conversation } from '../conversation'

/** What the Tab key offers: names of commands and skills behind `/`, files behind `@`. */
export async function completions({ engine, sessionId, header }: Conversation, typed: string): Promise<[string[], string]> {
  if (/^\/[\w-]*$/.test(typed)) {
    const { skills } = await engine.skills.list(header.folder)
    const names = [...COMMANDS.map(({ name }) => name), ...skills.filter(({ hiddenBy }) => hiddenBy === undefined).map(({ name }) => name)]
    return [[...new Set(names)].map((name) => `/${name} `).filter((name) => name.startsWith(typed)), typed]
  }
  const mention = /(?:^|\s)@(\S*)$/.exec(typed)?.[1]
  if (mention === undefined) return [[], typed]
  const files = await engine.sessions.completeFile(sessionId, mention, 20)
  return [files.map(({ path, isFolder }) => `@${path}${isFolder ? '/' : ' '}`), `@${mention}`]
}
