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

describe('grouped', () => {
  const commands = [
    command('stop', 'Session', 'Stop the turn'),
    command('settings', 'Go', 'Settings'),
    command('models', 'Go', 'Settings: models', { onlySearched: true, keywords: 'provider' }),
    command('autostop', 'Session', 'Nonstop'),
  ]

  it('would catch long lists in the way before anything is typed', () => {
    expect(ids(commands, '')).toEqual(['stop', 'autostop', 'settings'])
  })

  it('would catch a search by keyword, heading or several words finding nothing', () => {
    expect(ids(commands, 'provider')).toEqual(['models'])
    expect(ids(commands, 'go settings')).toEqual(['settings', 'models'])
  })

  it('would catch a label that only contains the word standing before one that begins with it', () => {
    expect(ids([commands[3]!, commands[0]!], 'stop')).toEqual(['stop', 'autostop'])
  })

  it('would catch 3,000 sessions being drawn at once, or the rest being kept quiet', () => {
    const many = Array.from({ length: 3000 }, (_, n) => command(String(n), 'Sessions', `Session ${n}`))
    const [group] = groupCommands(many, 'session')
    expect(group!.items.length).toBeLessThan(100)
    expect(group!.items.length + group!.more).toBe(3000)
  })
})
