import { execFileSync } from 'node:child_process'
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder'
import { findInstructions } from '../context/facts/instruction-facts'
import { createTrust } from '../trust/create-trust'
import { describeServerFile } from '../mcp/config/describe-server'
import { openSkillCache } from '../skill/skill-cache'
import { createSkills } from '../skill/skills'
import { readGuardedText } from './guarded-text'

let base: string
let project: string
let home: string

beforeEach(async () => {
  base = await tempFolder()
  project = join(base, 'project')
  home = join(base, 'home')
  for (const folder of ['project/.git', 'project/docs', 'project/.trestle', 'home', 'user/.ssh', 'outside'])
    mkdirSync(join(base, folder), { recursive: true })
  writeFileSync(join(project, '.git/HEAD'), 'ref: refs/heads/main\n')
  writeFileSync(join(base, 'user/.ssh/id_rsa'), 'PRIVATE')
  writeFileSync(join(base, 'outside/notes.md'), 'PRIVATE')
  writeFileSync(join(home, 'config.toml'), 'PRIVATE = 1')
  writeFileSync(join(project, '.env'), 'KEY=PRIVATE')
  writeFileSync(join(project, 'docs/AGENTS.md'), 'Use tabs.')
})

/** Ways to trick Trestle into reading something other than the project's own text. */
const TRICKS: Record<string, (at: string) => void> = {
  'a link to a private key': (at) => symlinkSync(relative(dirname(at), join(base, 'user/.ssh/id_rsa')), at),
  'an absolute link out of the project': (at) => symlinkSync(join(base, 'outside/notes.md'), at),
  'a link through a linked folder': (at) => {
    symlinkSync(join(base, 'outside'), join(project, 'way'))
    symlinkSync(join(project, 'way/notes.md'), at)
  },
  'a link to .env of the project': (at) => symlinkSync(join(project, '.env'), at),
  "a link into Trestle's folder": (at) => symlinkSync(join(home, 'config.toml'), at),
  'a link to the environment of a process': (at) => symlinkSync('/proc/self/environ', at),
  'a device': (at) => symlinkSync('/dev/zero', at),
  'a named pipe': (at) => void execFileSync('mkfifo', [at]),
  'a folder': (at) => mkdirSync(at),
  'a huge file': (at) => writeFileSync(at, 'PRIVATE '.repeat(200_000)),
  'bytes that are no text': (at) => writeFileSync(at, Buffer.from([0xff, 0xfe, 0x00])),
}

describe.each(Object.keys(TRICKS))('%s', (trick) => {
  it('is not sent to a model instead of AGENTS.md, and the user is notified', async () => {
    TRICKS[trick]!(join(project, 'AGENTS.md'))
    writeFileSync(join(project, 'CLAUDE.md'), 'Use blanks.')
    const { instructions, problems } = await findInstructions(home, project)
    expect(instructions).toEqual([{ path: join(project, 'CLAUDE.md'), text: 'Use blanks.' }])
    expect(problems).toEqual([expect.stringMatching(/AGENTS\.md is not used as instructions\. It /)])
    expect(problems.join()).not.toContain('PRIVATE')
  })

  it('is not loaded as a skill, and the list of skills says why', async () => {
    const folder = join(project, '.claude/skills/tidy')
    mkdirSync(folder, { recursive: true })
    TRICKS[trick]!(join(folder, 'SKILL.md'))
    const cache = openSkillCache(join(home, 'skills.json'))
    const skills = createSkills({
      home,
      userHome: join(base, 'user'),
      builtIn: join(base, 'none'),
      cache: () => cache,
      repositoryTop: () => project,
    })
    const list = await skills.list(project)
    expect(list.skills).toEqual([])
    expect(list.problems).toEqual([expect.objectContaining({ isFatal: true, message: expect.stringMatching(/^It /) })])
    expect(JSON.stringify([list, skills.readable(project)])).not.toContain('PRIVATE')
  })

  it("is never used as the project's settings, servers or agents, and is not shown", async () => {
    mkdirSync(join(project, '.trestle/agents'))
    for (const place of ['.mcp.json', '.trestle/config.toml', '.trestle/agents/evil.yaml']) {
      const at = join(project, place)
      if (trick === 'a link through a linked folder' && place !== '.mcp.json')
        symlinkSync(join(project, 'way/notes.md'), at)
      else TRICKS[trick]!(at)
    }
    const trust = createTrust({ describeServers: describeServerFile, home, now: Date.now, notify: () => undefined })
    const view = await trust.view(project)
    expect(JSON.stringify(view)).not.toContain('PRIVATE')
    for (const part of view.parts) expect(part.lines.at(-1)).toMatch(/^(?:It|This|The file) /)
  })
})

it('reads a link that stays in the project, and truncates no ordinary file', async () => {
  symlinkSync('docs/AGENTS.md', join(project, 'AGENTS.md'))
  expect(await findInstructions(home, join(project, 'docs'))).toEqual({
    instructions: [
      { path: join(project, 'AGENTS.md'), text: 'Use tabs.' },
      { path: join(project, 'docs/AGENTS.md'), text: 'Use tabs.' },
    ],
    problems: [],
  })
})

it("lets the user's own instructions be a link to anywhere, but not to a key", async () => {
  symlinkSync(join(base, 'outside/notes.md'), join(home, 'AGENTS.md'))
  symlinkSync(join(base, 'user/.ssh/id_rsa'), join(home, 'CLAUDE.md'))
  expect((await findInstructions(home, project)).instructions.map(({ path }) => path)).toEqual([
    join(home, 'AGENTS.md'),
  ])
  expect(readGuardedText(join(home, 'CLAUDE.md'), { mostBytes: 1000 })).toEqual({
    problem: expect.stringContaining('sensitive'),
  })
})

it('does not read a skill whose file became a link after it was listed', async () => {
  const folder = join(project, '.claude/skills/tidy')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'SKILL.md')
  writeFileSync(path, '---\nname: tidy\ndescription: Tidies\n---\nBody.\n')
  const cache = openSkillCache(join(home, 'skills.json'))
  const skills = createSkills({
    home,
    userHome: join(base, 'user'),
    builtIn: join(base, 'none'),
    cache: () => cache,
    repositoryTop: () => project,
  })
  const skill = (await skills.find(project, 'tidy'))!
  expect(await skills.body(skill, '')).toBe('Body.')
  const other = join(base, 'outside/SKILL.md')
  writeFileSync(other, '---\nname: tidy\ndescription: Tidies\n---\nPRIVATE\n')
  execFileSync('ln', ['-sfn', other, path])
  await expect(skills.body(skill, '')).rejects.toThrow(/outside the project/)
  expect(realpathSync(path)).toBe(other)
  expect((await skills.list(project)).skills).toEqual([])
})
