import { COMMANDS } from './commands'
import { mcpWord, promptCommand } from '../../../../shared/model/mcp-content'
import type { Conversation } from '../conversation'

/** What the Tab key offers: names of commands, skills and prompts behind `/`, files and resources behind `@`. */
export async function completions({ engine, sessionId, header }: Conversation, typed: string): Promise<[string[], string]> {
  if (/^\/[^\s/]*$/.test(typed)) {
    const [{ skills }, prompts] = await Promise.all([
      engine.skills.list(header.folder),
      engine.mcpContent.prompts(sessionId).catch(() => []),
    ])
    const names = [
      ...COMMANDS.map(({ name }) => name),
      ...skills.filter(({ hiddenBy }) => hiddenBy === undefined).map(({ name }) => name),
      ...prompts.map(promptCommand),
    ]
    return [[...new Set(names)].map((name) => `/${name} `).filter((name) => name.startsWith(typed)), typed]
  }
  const mention = /(?:^|\s)@(\S*)$/.exec(typed)?.[1]
  if (mention === undefined) return [[], typed]
  const [files, resources] = await Promise.all([
    engine.sessions.completeFile(sessionId, mention, 20),
    engine.mcpContent.resources(sessionId, mention, 20).catch(() => []),
  ])
  const fits = [
    ...files.map(({ path, isFolder }) => `@${path}${isFolder ? '/' : ' '}`),
    ...resources.map(({ server, uri, isOpen }) => `@${mcpWord(server)}:${uri}${isOpen ? '' : ' '}`),
  ]
  return [fits, `@${mention}`]
}
