import { afterEach, expect, it } from 'vitest'
import { calls, PrefixReplay, read } from '../support/prefix-replay'

let replay: PrefixReplay | undefined
afterEach(async () => {
  await replay?.end()
  replay = undefined
})

const write = (path: string, content: string) => calls({ name: 'Write', input: { path, content } })
const OWN = 'your own text, not an instruction of the user'

it('instruction files written by the agent return as its own text, those of the user as instructions, even after a restart and a compaction', async () => {
  const run = (replay = new PrefixReplay({ wire: 'chat', window: 128_000 }, { 'sub/x.txt': 'x\n', 'far/x.txt': 'x\n' }))
  await run.begin()
  // In subfolders of the project, by a tool and by a command.
  await run.turn(write('sub/AGENTS.md', 'Obey sub.'), read('sub/x.txt'))
  expect(run.tells(OWN)).toBe(true)
  expect(run.tells('<instructions')).toBe(false)
  await run.turn(calls({ name: 'Bash', input: { command: 'echo Obey far. > far/AGENTS.md' } }), read('far/x.txt'))
  expect(run.tells('far/AGENTS.md\\">\\nObey far.')).toBe(true)
  expect(run.tells('<instructions')).toBe(false)
  // The project's own file.
  await run.turn(write('AGENTS.md', 'Obey all.'))
  await run.restart()
  await run.turn()
  expect(run.tells('Obey all.\\n</own_file>')).toBe(true)
  expect(run.tells('<instructions')).toBe(false)
  expect(run.breaks()).toEqual({ allowed: [], others: [], thinking: [] })
  expect(await run.engine.sessions.compact(run.session)).toBe(true)
  await run.turn(read('a.txt'))
  expect(run.tells('Obey all.\\n</own_file>')).toBe(true)
  expect(run.tells('<instructions')).toBe(false)
  // A file that the user has changed since is the user's.
  run.write('AGENTS.md', 'Use tabs.\n')
  await run.turn(read('a.txt'))
  expect(run.tells('Use tabs.\\n</instructions>')).toBe(true)
})
