import { describe, expect, it } from 'vitest'
import { type Command, groupCommands } from './palette'

const command = (id: string, group: string, label: string, more: Partial<Command> = {}): Command => ({
  id,
  group,
  label,
  ...more,
})
const ids = (commands: Command[], search: string): string[] =>
  groupCommands(commands, search).flatMap((group) => group.items.map((item) => item.id))

describe('groupCommands', () => {
  const commands = [
    command('stop', 'Session', 'Stop the turn'),
    command('settings', 'Go', 'Settings'),
    command('models', 'Go', 'Settings: models', { onlySearched: true, keywords: 'provider' }),
    command('autostop', 'Session', 'Nonstop'),
  ]

  it('hides long lists until something is typed', () => {
    expect(ids(commands, '')).toEqual(['stop', 'autostop', 'settings'])
  })

  it('finds commands by keyword, by group, and by several words', () => {
    expect(ids(commands, 'provider')).toEqual(['models'])
    expect(ids(commands, 'go settings')).toEqual(['settings', 'models'])
  })

  it('ranks labels that start with the word before labels that contain it', () => {
    expect(ids([commands[3]!, commands[0]!], 'stop')).toEqual(['stop', 'autostop'])
  })

  it('limits the rows of a group and counts the remaining matches', () => {
    const many = Array.from({ length: 3000 }, (_, n) => command(String(n), 'Sessions', `Session ${n}`))
    const [group] = groupCommands(many, 'session')
    expect(group!.items.length).toBeLessThan(100)
    expect(group!.items.length + group!.more).toBe(3000)
  })
})
