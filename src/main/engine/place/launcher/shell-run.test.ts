import { expect, it } from 'vitest'
import type { PlaceShell } from './launcher'
import { runScript, startChannel } from './shell-run'

/** A place whose shell runs this program instead of each script. */
const place = (program: string, ...args: string[]): PlaceShell => ({
  start: () => startChannel(program, args),
  failure: () => undefined,
  close: async () => undefined,
})

it('ends a script of ours whose output has no end', async () => {
  await expect(runScript(place('yes'), 'true', { isShort: true })).rejects.toMatchObject({ code: 'place.misbehaved' })
})

it('ends a script that takes too long', async () => {
  const hangs = place('tail', '-f', '/dev/null')
  await expect(runScript(hangs, 'true', { limitMs: 50 })).rejects.toMatchObject({ code: 'place.unreachable' })
})

it("keeps the start of the output of a user's command, however long it is", async () => {
  const { exitCode, stdout } = await runScript(place('sh', '-c', 'yes | head -c 6000000'), 'true')
  expect([exitCode, stdout.length >= 4 << 20, stdout.length < 5 << 20]).toEqual([0, true, true])
})
