import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { sandboxSupport } from '../../src/main/engine/sandbox/sandbox-support'
import type { SandboxPolicy } from '../../src/main/engine/sandbox/sandbox-policy'
import { TaskStarter } from '../../src/main/engine/task/run/task-starter'
import { tempFolder } from '../support/temp-folder'

const SECRET = 'correct-horse-7431'
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

interface Prompting {
  name: string
  command: string
  before?: (project: string) => void
  /** Its prompts in order, and the typed answers. */
  asks: [RegExp, string][]
  prints: string
}

const PROGRAMS: Prompting[] = [
  {
    name: 'a shell script',
    command:
      "stty -echo </dev/tty; printf 'Password: ' >/dev/tty; " +
      'IFS= read -r p </dev/tty; stty echo </dev/tty; printf %s "$p" | sha256sum',
    asks: [[/Password: $/, SECRET]],
    prints: sha256(SECRET),
  },
  {
    name: 'getpass of Python',
    command:
      `/usr/bin/python3 -c 'import getpass, hashlib; print(hashlib.sha256(getpass.getpass("Secret? ` +
      `").encode()).hexdigest())'`,
    asks: [[/Secret\? $/, SECRET]],
    prints: sha256(SECRET),
  },
  {
    name: 'git, for a user name and a password',
    command: `printf 'protocol=https\\nhost=a.invalid\\n\\n' | git -c credential.helper= credential fill | sha256sum`,
    asks: [
      [/Username for 'https:\/\/a\.invalid': $/, 'me'],
      [/Password for 'https:\/\/me@a\.invalid': $/, SECRET],
    ],
    prints: sha256(`protocol=https\nhost=a.invalid\nusername=me\npassword=${SECRET}\n`),
  },
  {
    name: 'the programs of ssh, for the passphrase of a key',
    before: (project) =>
      void execFileSync('ssh-keygen', [
        '-q',
        '-t',
        'ed25519',
        '-N',
        SECRET,
        '-C',
        'a comment',
        '-f',
        join(project, 'deploykey'),
      ]),
    command: 'ssh-keygen -y -f deploykey',
    asks: [[/passphrase.*: $/i, SECRET]],
    prints: 'ssh-ed25519 AAAA',
  },
]

/** All text in a folder. */
function allText(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')
}

describe.skipIf(sandboxSupport().kind === 'none')('a program that asks at /dev/tty in a Project sandbox', () => {
  test.each(PROGRAMS)(
    'gets what the user types, and no other program does: $name',
    async ({ command, before, asks, prints }) => {
      const base = await tempFolder()
      const [project, home, trestle] = ['project', 'home', 'home/.trestle'].map((name) => join(base, name)) as [
        string,
        string,
        string,
      ]
      for (const folder of [project, trestle]) mkdirSync(folder, { recursive: true })
      before?.(project)
      const sandbox: SandboxPolicy = {
        level: 'project',
        network: 'none',
        scope: 'prompts',
        root: project,
        folders: [],
        write: [],
        read: [],
        protect: [],
        hosts: [],
        sockets: [],
        home: trestle,
        userHome: home,
      }
      const starter = new TaskStarter({ graceMs: 200 })
      onTestFinished(() => starter.close())
      let printed = ''
      const run = await starter.start({
        taskId: 'bash-prompts0',
        env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, GIT_TERMINAL_PROMPT: '1', TERM: 'xterm-256color' },
        outputPath: join(trestle, 'task.log'),
        maxChars: 10_000,
        start: {
          command,
          cwd: project,
          sandbox,
          timeoutMs: 30_000,
          signal: new AbortController().signal,
          canAnswer: true,
          onOutput: (text) => (printed = text),
        },
      })
      for (const [prompt, answer] of asks) {
        // Once the program reads without echo.
        await vi.waitFor(
          () =>
            expect(run.task().prompt?.text ?? printed.trimStart()).toMatch(
              new RegExp(prompt.source.replace(/ \$$/, ''), prompt.flags),
            ),
          {
            timeout: 60_000,
            interval: 10,
          },
        )
        run.write(`${answer}\r`)
      }
      const end = await run.ended()
      expect(end.text).toContain(prints)
      expect(end.task.exitCode).toBe(0)
      expect(end.text).not.toContain(SECRET)
      await starter.close()
      expect(allText(base)).not.toContain(SECRET)
    },
  )
})
