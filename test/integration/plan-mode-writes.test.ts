import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RecordedEvent } from '../../src/shared/events/event'
import { textOf } from '../../src/shared/model/turn/message'
import type { ScriptedCall, ScriptStep } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { runCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { endHosts } from '../support/source-task-host'

/** Commands that write, one way or another. Each would leave a trace in the project if it ran. */
const COMMANDS = [
  'touch made',
  'echo x > made',
  'echo x >> kept.txt',
  'echo x >| kept.txt',
  ': > kept.txt',
  '> made',
  'cat kept.txt > made',
  'cat <<< x > made',
  'cat kept.txt 2> made',
  'cat nothing &> made',
  'ls && touch made',
  'ls; touch made',
  'ls || true; touch made',
  'ls | tee made',
  'ls & touch made',
  'ls\ntouch made',
  '(touch made)',
  '{ touch made; }',
  'echo $(touch made)',
  'echo `touch made`',
  'cat <(touch made)',
  'if true; then touch made; fi',
  'for f in made; do touch "$f"; done',
  'f() { touch made; }; f',
  'sh -c "touch made"',
  'bash -c "echo x > made"',
  'eval "touch made"',
  'env touch made',
  'command touch made',
  'exec touch made',
  'xargs touch <<< made',
  'find . -name kept.txt -delete',
  'find . -name kept.txt -exec rm {} +',
  'find . -fprint made',
  'sed -i s/a/b/ kept.txt',
  'sed -n "w made" kept.txt',
  'sed "1e touch made" kept.txt',
  'awk \'BEGIN { print "x" > "made" }\'',
  'sort -o made kept.txt',
  'uniq kept.txt made',
  'tree -o made',
  'xxd -r kept.txt made',
  'dd if=kept.txt of=made',
  'cp kept.txt made',
  'mv kept.txt made',
  'ln -s kept.txt made',
  'ln kept.txt made',
  'rm kept.txt',
  'mkdir made',
  'truncate -s 0 kept.txt',
  'chmod +x kept.txt',
  'install kept.txt made',
  'tar cf made kept.txt',
  "python3 -c \"open('made', 'w')\"",
  "node -e \"require('fs').writeFileSync('made', '')\"",
  'perl -e "open(F, q(>made))"',
  'git init made',
  'git add kept.txt',
  'git checkout -b made',
  'git branch made',
  'git tag made',
  'git config user.name made',
  'git stash',
  'git commit --allow-empty -m made',
  'git log --output=made',
  'git diff --output made HEAD',
  'git -c core.pager="touch made" -p log',
  'git -c alias.x="!touch made" x',
  'git -c diff.external="touch made" diff',
  'GIT_EXTERNAL_DIFF="touch made" git diff',
  'PAGER="touch made" git --paginate log',
  'git --exec-path=. log',
  'git grep -O"touch made" kept',
  'git archive -o made HEAD',
  'git format-patch -o made HEAD',
  'git worktree add made',
  'rg --pre "touch made" kept',
  'printf x > made',
  'printf -v x y; echo z > made',
  'LD_PRELOAD=./evil.so ls',
  'npm install left-pad',
  'make',
  './script.sh',
  'source script.sh',
  '. ./script.sh',
  'PROMPT_COMMAND="touch made" bash',
  'trap "touch made" EXIT',
  'alias ls="touch made"; ls',
  'curl -o made http://127.0.0.1:9/',
  'rsync kept.txt made',
  'echo x > "$HOME/made-in-home"',
  'cd sub && touch made',
  'time touch made',
  'nohup touch made',
  'timeout 5 touch made',
  'coproc touch made',
  'exec 3> made',
]

/** Writes through other tools, and attacks on the plan itself; `PLAN` is its path, `REAL` the folder of the plan. */
const CALLS: ScriptedCall[] = [
  { name: 'Write', input: { path: 'made', content: 'x' } },
  { name: 'Write', input: { path: 'sub/deep/made', content: 'x' } },
  { name: 'Write', input: { path: 'kept.txt', content: 'x', mode: 'append' } },
  { name: 'Edit', input: { path: 'kept.txt', old_string: 'kept', new_string: 'lost' } },
  { name: 'Patch', input: { path: 'kept.txt', patches: [{ find: 'kept', replace: 'lost' }] } },
  { name: 'Write', input: { path: 'link-to-plan.md', content: 'x' } },
  { name: 'Edit', input: { path: 'link-to-plan.md', old_string: 'a', new_string: 'b' } },
  { name: 'Write', input: { path: 'link-to-plans/plan-1.md', content: 'x' } },
  { name: 'Write', input: { path: 'PLAN/../plan-2.md', content: 'x' } },
  { name: 'Write', input: { path: 'PLAN.bak', content: 'x' } },
  { name: 'Write', input: { path: 'PLAN/../../../../config.toml', content: 'x' } },
  { name: 'Bash', input: { command: 'echo x > PLAN' } },
  { name: 'Bash', input: { command: 'ln -sf $PWD/kept.txt PLAN' } },
  { name: 'Bash', input: { command: 'ls', run_in_background: true, description: 'reads only' } },
  { name: 'Bash', input: { command: 'sleep 1', run_in_background: true, disable_timeout: true, description: 'waits' } },
  { name: 'Bash', input: { command: 'touch made', cwd: 'sub' } },
]

/** Calls made last: a task is stopped, and the plan has been replaced by a link into the project. */
const LAST: ScriptedCall[] = [
  { name: 'TaskStop', input: { task_id: 'TASK' } },
  { name: 'Write', input: { path: 'PLAN', content: 'through a link' } },
]
const EVERY: ScriptedCall[] = [
  ...CALLS,
  ...COMMANDS.map((command): ScriptedCall => ({ name: 'Bash', input: { command } })),
  ...LAST,
]

/** Commands that only read, and pass. */
const READS = ['cat kept.txt | head -1', 'git status', 'git log --oneline', 'find . -name kept.txt', 'ls 2> /dev/null']

const ALLOW_ALL = ['*', 'Bash', 'Bash(*)', 'Write', 'Edit', 'Patch', 'TaskStop']
  .map((pattern) => `[[permission.rules]]\ndecision = "allow"\npattern = "${pattern}"\n`)
  .join('')

let scratch: Scratch
let server: ModelServer
let events: RecordedEvent[]
let before: string
const results = new Map<string, { text: string; isError: boolean }>()

beforeAll(async () => {
  scratch = createScratch({
    'kept.txt': 'kept\n',
    'sub/a.txt': 'a\n',
    'script.sh': '#!/bin/sh\ntouch made\n',
    Makefile: 'all:\n\ttouch made\n',
  })
  const git = (...args: string[]): void =>
    void execFileSync('git', ['-C', scratch.project, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args])
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'first')
  writeFileSync(join(scratch.project, 'kept.txt'), 'kept, changed\n')
  let plan = ''
  let task = ''
  const calls: ScriptedCall[] = [
    ...READS.map((command): ScriptedCall => ({ name: 'Bash', input: { command } })),
    ...EVERY,
  ]
  let step = -1
  server = await startModelServer({
    script({ body }): ScriptStep {
      step += 1
      const background = { command: 'sleep 60', run_in_background: true, description: 'waits' }
      if (step === 0) return { toolCalls: [{ name: 'Bash', input: background }] }
      if (step === 1) {
        task = /bash-[0-9a-z]{8}/.exec(JSON.stringify(body))![0]
        return { text: 'It runs.' }
      }
      if (step === 2) {
        plan = /\/[^\s"\\`]+\/plan-1\.md/.exec(JSON.stringify(body))![0]
        symlinkSync(plan, join(scratch.project, 'link-to-plan.md'))
        symlinkSync(join(plan, '..'), join(scratch.project, 'link-to-plans'))
        // The git index is out of date, so reading the status would refresh it.
        utimesSync(join(scratch.project, 'sub', 'a.txt'), 1, 1)
        before = fingerprint(scratch.project)
        return { toolCalls: [{ name: 'Read', input: { path: 'kept.txt' } }] }
      }
      const call = calls[step - 3]
      if (!call) return { text: 'done' }
      if (call === LAST.at(-1)) symlinkSync(join(scratch.project, 'kept.txt'), plan)
      const input = JSON.parse(JSON.stringify(call.input).replaceAll('PLAN', plan).replaceAll('TASK', task)) as Record<
        string,
        unknown
      >
      return { toolCalls: [{ name: call.name, input }] }
    },
  })
  writeConfig(scratch.home, configFor(server.baseUrl, { more: '', loop: 'max_steps = 400' }) + ALLOW_ALL)
  const print = (...more: string[]) =>
    runCli(['print', 'go', '--cwd', scratch.project, '--output-format', 'stream-json', ...more], {
      home: scratch.home,
      env: { HOME: scratch.home },
    })
  await print('--permission-mode', 'auto')
  const run = await print('--continue', '--permission-mode', 'plan')
  events = run.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RecordedEvent)
  const inputs = new Map(
    events.flatMap((event) => (event.type === 'tool.started' ? [[event.callId, `${event.name} ${event.input}`]] : [])),
  )
  for (const event of events) {
    if (event.type === 'tool.finished')
      results.set(inputs.get(event.callId)!.replaceAll(plan, 'PLAN').replaceAll(task, 'TASK'), {
        text: textOf(event.content),
        isError: event.isError,
      })
  }
})
afterAll(async () => {
  await server?.close()
  await endHosts(scratch.home)
  scratch.remove()
})

describe('plan mode, in auto and with rules that allow everything', () => {
  it('has at least 60 ways to write, without duplicates', () => {
    const ways = EVERY.map(({ name, input }) => `${name} ${JSON.stringify(input)}`)
    expect(new Set(ways).size).toBe(ways.length)
    expect(ways.length).toBeGreaterThanOrEqual(60)
  })

  it.each(EVERY)('blocks $name $input', (call) => {
    const result = results.get(`${call.name} ${JSON.stringify(call.input)}`)
    expect(result).toEqual({ text: expect.stringMatching(/^Denied: .*Plan mode is on/s), isError: true })
  })

  it.each(READS)('allows %s, which only reads', (command) => {
    expect(results.get(`Bash ${JSON.stringify({ command })}`)?.isError).toBe(false)
  })

  it('leaves the project unchanged, to the byte', () => {
    expect(fingerprint(scratch.project)).toBe(before)
  })
})

/** Every path with its kind, mode and content. */
function fingerprint(folder: string): string {
  const lines = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    // The folder of the plan is not part of the project.
    .filter((name) => !name.startsWith('link-to-plans/'))
    // Kept by the sandbox of the background command as long as that is in use.
    .filter((name) => name !== '.git/commondir' && name !== '.git/config.worktree')
    .toSorted()
    .map((name) => {
      const path = join(folder, name)
      const stat = lstatSync(path)
      const content = stat.isSymbolicLink()
        ? readlinkSync(path)
        : stat.isFile()
          ? createHash('sha256').update(readFileSync(path)).digest('hex')
          : ''
      return `${name} ${stat.mode} ${content}`
    })
  return lines.join('\n')
}
