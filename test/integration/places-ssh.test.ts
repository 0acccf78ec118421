import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hasSshd, startSshLab, type SshLab } from '../support/place/ssh-lab'
import { startModelServer, type ModelServer } from '../support/model-server'
import { runCli, type CliRun } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'

describe.skipIf(!hasSshd)('a machine behind ssh, from the command line', () => {
  let lab: SshLab
  let scratch: Scratch
  let server: ModelServer
  beforeAll(async () => {
    lab = await startSshLab()
    scratch = createScratch({})
    server = await startModelServer({ script: (_request, index) => ({ text: `Answer ${index + 1}.` }) })
    writeConfig(scratch.home, configFor(server.baseUrl))
    mkdirSync(join(lab.home, 'app'))
    writeFileSync(join(lab.home, 'app', 'notes.md'), 'one\n')
  })
  beforeEach(() => lab.configure())
  afterAll(async () => {
    await run('place', 'disconnect', 'lab')
    await server.close()
    await lab.close()
    scratch.remove()
  })

  const run = (...args: string[]): Promise<CliRun> => runCli(args, { home: scratch.home, cwd: scratch.project })

  it('gets from nothing to an answer in two commands, with the key of the model kept here', async () => {
    const added = await run('place', 'add', 'ssh', 'lab', '--ssh-config', lab.configFile)
    expect(added).toMatchObject({ code: 0 })
    expect(added.stdout).toContain('ok     Engine: The engine answers')
    expect(readdirSync(join(lab.home, '.trestle-server'))).toHaveLength(2)
    const printed = await run('-p', 'what is here?', '--place', 'lab', '--cwd', '~/app')
    expect(printed.stderr).toBe('')
    expect(printed).toMatchObject({ code: 0, stdout: 'Answer 1.\n' })
    expect(server.requests).toHaveLength(1)
  }, 240_000)
})
