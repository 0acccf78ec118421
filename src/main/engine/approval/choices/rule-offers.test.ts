import { join } from 'node:path'
import { expect, it } from 'vitest'
import { rulesOf } from '../../../../../test/support/judge-command'
import type { PreparedCall } from '../../tool/tool'
import { createWorkspace } from '../../workspace/workspace'
import { JUDGING } from '../judging'
import { POLICIES } from '../policies'
import type { JudgedCall } from '../rules/policy'
import { pastCalls, ruleChoices } from './rule-choices'
import { ruleOffers } from './rule-offers'

// Not the folder of the checkout: it could be a temporary folder, where removing is not dangerous.
const root = '/usr'
const workspace = createWorkspace({ root })

async function judged(
  name: string,
  accesses: PreparedCall['accesses'],
  more: Partial<JudgedCall> = {},
): Promise<JudgedCall> {
  const call: PreparedCall = { summary: '', accesses, run: () => Promise.reject(new Error('never')) }
  const parts = await JUDGING.commandPartsOf(call, workspace)
  const annotations = { readOnly: name === 'Read', destructive: true, idempotent: false, openWorld: true }
  return {
    tool: { name, annotations },
    call,
    mode: 'ask',
    workspace,
    home: '/home/absent/.trestle',
    ownOutput: [],
    rules: [],
    ...(parts && { parts }),
    isRemembered: () => false,
    ...more,
  }
}
const command = (text: string, more?: Partial<JudgedCall>): Promise<JudgedCall> =>
  judged('Bash', [{ kind: 'command', command: text, cwd: root }], more)
const offers = async (call: Promise<JudgedCall>): Promise<string[]> =>
  ruleOffers(POLICIES, await call).map(({ pattern }) => pattern)

it.each<[string, string[]]>([
  ['npm run test', ['Bash(npm run test)', 'Bash(npm run test *)', 'Bash(npm run *)']],
  ['npm run test -- --watch', ['Bash(npm run test -- --watch)', 'Bash(npm run test *)', 'Bash(npm run *)']],
  ['npm test', ['Bash(npm test)', 'Bash(npm test *)']],
  ['git commit -m "a b"', ["Bash(git commit -m 'a b')", 'Bash(git commit *)']],
  ['git commit -m "it\'s"', ["Bash(git commit -m 'it'\\''s')", 'Bash(git commit *)']],
  ['git commit -m "$(date)"', ['Bash(git commit -m *)', 'Bash(git commit *)']],
  ['cargo test foo', ['Bash(cargo test foo)', 'Bash(cargo test *)']],
  ['docker compose up -d', ['Bash(docker compose up -d)', 'Bash(docker compose up *)']],
  ['kubectl get pods', ['Bash(kubectl get pods)', 'Bash(kubectl get *)']],
  ['pip install x', ['Bash(pip install x)', 'Bash(pip install *)']],
  ['eslint src --fix', ['Bash(eslint src --fix)', 'Bash(eslint src *)', 'Bash(eslint *)']],
  ["prettier --write 'src/**/*.ts'", ['Bash(prettier --write *)', 'Bash(prettier *)']],
  ['python3 -m pytest x', ['Bash(python3 -m pytest x)', 'Bash(python3 -m pytest *)']],
  ['node build.js a', ['Bash(node build.js a)', 'Bash(node build.js *)']],
  ['npx tsc -p x', ['Bash(npx tsc -p x)', 'Bash(npx tsc *)']],
  ['FOO=1 ./run x', ['Bash(FOO=1 ./run x)', 'Bash(FOO=1 ./run *)']],
  ['make && npm test', ['Bash(make)\nBash(npm test)', 'Bash(make)\nBash(npm test *)']],
  ['cd x && npm test 2>&1 | tail -3', ['Bash(npm test)', 'Bash(npm test *)']],
  ['sudo apt install x', ['Bash(sudo apt install x)']],
  ['timeout 5 npm test', ['Bash(npm test)', 'Bash(npm test *)']],
  ['ls | xargs prettier --write', ['Bash(prettier --write *)', 'Bash(prettier *)']],
  ['echo a > out.txt', ['Write(out.txt)', 'Write(**)']],
  ["echo a > 'sub/a[1]*.txt'", ['Write(sub/a[[]1][*].txt)', 'Write(sub/**)', 'Write(**)']],
])('offers from exact to wide for %s', async (text, expected) => {
  expect(await offers(command(text))).toEqual(expected)
})

it.each([
  'rm x *',
  'rm -rf x',
  'rm "$x"',
  'sh -c "$x"',
  'eval "$x"',
  'curl x | sh',
  'git push --force',
  'FOO=$(date) BAR=1',
  'echo $x > "$y"',
  'echo a > .git/config',
  'npm test; rm -rf ~/x',
  'xargs rm',
])('offers no rule for a command that must ask every time: %s', async (text) => {
  expect(await offers(command(text))).toEqual([])
})

it.each([
  'sh x.sh',
  'env FOO=1 x',
  'sudo x y',
  'node -e x',
  'python3 x.py',
  'find . -exec x {} +',
  'rm x',
  'curl http://x',
  'ssh h ls',
  'kill 1',
  'mv a b',
  'tee x',
  'docker run x',
  'git reset --hard',
  'psql -c x',
])('offers no wildcard for programs that can run, remove or send anything: %s', async (text) => {
  const [program = ''] = text.split(' ')
  for (const pattern of (await offers(command(text))).flatMap((set) => set.split('\n'))) {
    expect(pattern).not.toBe(`Bash(${program})`)
    expect(pattern).not.toBe(`Bash(${program} *)`)
    expect(pattern).not.toMatch(/^Bash\(\*/)
  }
})

it('covers only literal words: a star in a command is not a wildcard in its rule', async () => {
  for (const set of await offers(command('lint "src/*" --fix'))) expect(set).not.toBe('Bash(lint src/* --fix)')
  const [exact = ''] = await offers(command("lint 'a b' c"))
  const rules = rulesOf(...exact.split('\n').map((pattern) => `allow ${pattern}`))
  for (const other of ["lint 'a b' d", "lint 'a b' c d", 'lint a b c', "lint 'a b' c; lint x", "./lint 'a b' c"])
    expect(await offers(command(other, { rules }))).not.toEqual([])
  expect(await offers(command("lint 'a b' c", { rules }))).toEqual([])
})

it('offers the file, its folder and the project for file changes, and the tool or its server for any other call', async () => {
  const file = (path: string, write = true) => judged(write ? 'Edit' : 'Read', [{ kind: 'file', path, write }])
  const three = (path: string) => ['Write', 'Edit', 'Patch'].map((tool) => `${tool}(${path})`).join('\n')
  expect(await offers(file(join(root, 'sub', 'x.ts')))).toEqual([three('sub/x.ts'), three('sub/**'), three('**')])
  expect(await offers(file(join(root, 'x.ts')))).toEqual([three('x.ts'), three('**')])
  expect(await offers(file(join(root, '!x.ts')))).toEqual([three('./!x.ts'), three('**')])
  expect((await offers(file('/etc/hosts', false)))[0]).toContain('Read(/etc/hosts)')
  const patched = ['a.ts', 'sub/b.ts'].map((path) => ({ kind: 'file' as const, path: join(root, path), write: true }))
  const both = (path: string) => [`Write(${path})`, `Edit(${path})`]
  expect(await offers(judged('apply_patch', patched))).toEqual([
    [...both('a.ts'), ...both('sub/b.ts')].join('\n'),
    both('**').join('\n'),
  ])
  const page = [{ kind: 'network' as const, host: 'example.org', url: 'https://example.org/a*b' }]
  expect(await offers(judged('FetchURL', page))).toEqual(['FetchURL(example.org)', 'FetchURL'])
  expect(await offers(judged('mcp__shop__buy', [{ kind: 'all' }]))).toEqual(['mcp__shop__buy', 'mcp__shop__*'])
})

it('shows what each choice would have decided about past calls, deny and ask rules included', async () => {
  const started = (callId: string, text: string) =>
    ({ type: 'tool.started', callId, name: 'Bash', input: JSON.stringify({ command: text }), summary: text }) as const
  const events = [
    started('1', 'npm run build'),
    { type: 'approval.requested', approval: { callId: '1' } },
    started('2', 'ls'),
    started('3', 'npm run deploy'),
    { type: 'tool.finished', callId: '3', isError: true, content: [{ type: 'text', text: 'Denied: no' }] },
    started('4', 'npm run build'),
    started('5', 'npm run x && rm y'),
    { type: 'approval.requested', approval: { callId: '5' } },
    { type: 'approval.resolved', callId: '5' },
    // The call awaiting approval is not a past call.
    started('6', 'npm run test'),
    { type: 'approval.requested', approval: { callId: '6' } },
  ] as unknown as Parameters<typeof pastCalls>[0]
  const current = await command('npm run test', { rules: rulesOf('deny Bash(npm run deploy)') })
  const choices = await ruleChoices(POLICIES, ruleOffers(POLICIES, current), current, pastCalls(events))
  expect(
    choices.map(({ pattern, past }) => [
      pattern,
      past.map(({ command: text, before, after }) => `${text}: ${before} ${after}`),
    ]),
  ).toEqual([
    [
      'Bash(npm run test)',
      ['npm run x && rm y: ask ask', 'npm run build: allow ask', 'npm run deploy: deny deny', 'ls: allow allow'],
    ],
    [
      'Bash(npm run test *)',
      ['npm run x && rm y: ask ask', 'npm run build: allow ask', 'npm run deploy: deny deny', 'ls: allow allow'],
    ],
    [
      'Bash(npm run *)',
      ['npm run x && rm y: ask ask', 'npm run build: allow allow', 'npm run deploy: deny deny', 'ls: allow allow'],
    ],
  ])
})
