import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
    // The engine there stays otherwise.
    await runCli(['engine', 'stop'], { home: join(lab.home, '.trestle') })
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
  it('is added from a home folder with a space, though its shell prints a greeting', async () => {
    const home = join(scratch.home, '..', "a user's home")
    mkdirSync(home)
    writeFileSync(join(lab.home, '.bashrc'), 'echo "Welcome to the lab!"; echo "Mind the rules." >&2\n')
    try {
      const args = ['place', 'add', 'ssh', 'lab', '--ssh-config', lab.configFile, '--program', lab.program]
      const added = await runCli(args, { home, cwd: scratch.project })
      expect(added).toMatchObject({ code: 0 })
      expect(added.stdout).toContain('ok     Engine: The engine answers')
      const there = await runCli(['place', 'run', 'lab', 'echo there'], { home, cwd: scratch.project })
      expect(there).toMatchObject({ code: 0, stdout: expect.stringContaining('there\n') })
      expect(await runCli(['place', 'disconnect', 'lab'], { home, cwd: scratch.project })).toMatchObject({ code: 0 })
    } finally {
      rmSync(join(lab.home, '.bashrc'))
      rmSync(home, { recursive: true })
    }
  }, 60_000)
  it('takes a session and gives it back, with one command each', async () => {
    const place = ['--name', 'other', '--ssh-config', lab.configFile, '--program', lab.program]
    expect(await run('place', 'add', 'ssh', 'lab', ...place)).toMatchObject({ code: 0 })
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', scratch.project, '-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args])
    writeFileSync(join(scratch.project, 'notes.md'), 'one\n')
    git('init', '-q')
    git('add', '.')
    git('commit', '-qm', 'Begin')
    const printed = await run('print', 'remember this', '--output-format', 'json')
    const { sessionId } = JSON.parse(printed.stdout) as { sessionId: string }
    const there = await run('session', 'move', sessionId, 'other', '--folder', '~/moved')
    expect(there).toMatchObject({ code: 0, stdout: expect.stringContaining('The session continues on other, in ') })
    expect(there.stderr).toBe('Connecting …\nPacking the session …\nReceiving it there …\n')
    expect(readFileSync(join(lab.home, 'moved', 'notes.md'), 'utf8')).toBe('one\n')
    const sealed = await run('print', 'carry on with it', '--session', sessionId)
    expect(sealed).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('other') })
    writeFileSync(join(lab.home, 'moved', 'notes.md'), 'two\n')
    const back = await run('session', 'move', sessionId, 'here', '--json')
    expect(JSON.parse(back.stdout)).toMatchObject({ sessionId, to: null, moved: { epoch: 3 } })
    expect(readFileSync(join(scratch.project, 'notes.md'), 'utf8')).toBe('two\n')
    expect(await run('print', 'carry on with it', '--session', sessionId)).toMatchObject({ code: 0 })
    expect(await run('session', 'verify', sessionId)).toMatchObject({ code: 0 })
    expect(await run('session', 'move', sessionId, 'nowhere')).toMatchObject({ code: 1 })
    expect(await run('session', 'move', sessionId, 'not a place')).toMatchObject({ code: 2 })
    await run('place', 'disconnect', 'other')
  }, 180_000)
})
