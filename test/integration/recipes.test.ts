import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** The recipes of docs/ARCHITECTURE.md, followed one after the other on a copy of the sources. */
const root = join(import.meta.dirname, '..', '..')
const LIMIT_MS = 400_000

let copy: string
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'trestle-recipes-'))
  const parts = ['src', 'scripts', 'test/support', 'docs/configuration.md', 'package.json', 'tsconfig.base.json']
  for (const part of parts) cpSync(join(root, part), join(copy, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  writeFileSync(
    join(copy, 'tsconfig.json'),
    JSON.stringify({
      extends: './tsconfig.base.json',
      compilerOptions: { lib: ['es2024', 'esnext.disposable'], types: ['node'], noEmit: true },
      include: ['src/shared', 'src/main', 'src/renderer/client', 'src/assets.d.ts'],
      exclude: ['src/**/*.test.ts', 'src/renderer/client/page-*'],
    }),
  )
}, LIMIT_MS)
afterAll(() => rmSync(copy, { recursive: true, force: true }))

/** Puts `line` behind the first occurrence of `after` in a file of the copy. */
function insert(path: string, after: string, line: string): void {
  const file = join(copy, path)
  const text = readFileSync(file, 'utf8')
  expect(text, `${path} has the place of the recipe`).toContain(after)
  writeFileSync(
    file,
    text.replace(after, () => `${after}${line}`),
  )
}

/** The compile errors of each file, with the compiler's full messages. */
function compileErrors(): Map<string, string> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  // More checkers check shared types more than once: 9.5 s of processor time instead of 5.6 s.
  const args = [compiler, '-p', '.', '--checkers', '1']
  const { stdout } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8' })
  const errors = new Map<string, string>()
  for (const error of stdout.split(/^(?=src\/)/m)) {
    const file = /^(src\/\S+?)\(\d+/.exec(error)?.[1]
    if (file !== undefined) errors.set(file, (errors.get(file) ?? '') + error)
  }
  return errors
}

/** The output of a script that runs on the copied sources. */
function evaluate(code: string): string {
  const file = join(copy, 'scripts/recipe.ts')
  writeFileSync(file, `import '../test/support/ts-hooks.mjs'\n${code}`)
  const { stdout, stderr } = spawnSync(process.execPath, [file], { cwd: copy, encoding: 'utf8' })
  return stdout.trim() || stderr
}

/**
 * The compile errors with two events and two methods, of which the coin has its first place already (the list of uses,
 * the handler), and the dice have none.
 */
let errors: Map<string, string>

// All in one compilation, because that takes longer than everything else here.
beforeAll(() => {
  insert(
    'src/shared/events/event.ts',
    'export type EventBody =\n',
    "  | { type: 'coin.tossed'; turnId: string; heads: boolean }\n" +
      "  | { type: 'dice.rolled'; turnId: string; points: number }\n",
  )
  insert(
    'src/shared/contract/app/app.ts',
    'export const appContract = {\n',
    '  coin: oc.output(type<{ heads: boolean }>()),\n  dice: oc.output(type<{ points: number }>()),\n',
  )
  insert(
    'src/shared/events/event-uses.ts',
    'export const EVENT_USES = {\n',
    "  'coin.tossed': ['header', 'chat', 'fork'],\n",
  )
  insert(
    'src/main/api/handlers/app-handlers.ts',
    '    backups: os.app.backups.handler(() => engine.backups.view()),\n',
    '    coin: os.app.coin.handler(() => ({ heads: true })),\n',
  )
  errors = compileErrors()
}, LIMIT_MS)

const isOfMethods = (file: string): boolean => /\/(?:api|contract)\//.test(file)

test(
  'an event makes the compiler report all code that has to handle it',
  () => {
    expect(Object.fromEntries([...errors].filter(([file]) => !isOfMethods(file)))).toEqual({
      'src/shared/events/event-uses.ts': expect.stringContaining(`Property '"dice.rolled"' is missing`) as string,
      'src/main/host/chat/printer.ts': expect.stringContaining('Type \'{ type: "coin.tossed"') as string,
      'src/shared/events/fold-header.ts': expect.stringContaining('Type \'{ type: "coin.tossed"') as string,
    })
    insert('src/shared/events/event-uses.ts', 'export const EVENT_USES = {\n', "  'dice.rolled': ['fork'],\n")
    insert(
      'src/shared/events/fold-header.ts',
      '  switch (event.type) {\n',
      "    case 'coin.tossed':\n      return next\n",
    )
    insert('src/main/host/chat/printer.ts', '    switch (event.type) {\n', "      case 'coin.tossed':\n        break\n")
    const forked = `const { eventTypesOf } = await import('../src/shared/events/event-uses.ts')
      console.log(eventTypesOf('fork').has('coin.tossed'))`
    expect(evaluate(forked)).toBe('true')
  },
  LIMIT_MS,
)

test(
  'a tool is its file with a prompt, and a line in each of two lists',
  () => {
    const folder = 'src/main/engine/tool/shell'
    writeFileSync(join(copy, folder, 'toss-coin.md'), 'Tosses a coin.\n')
    writeFileSync(
      join(copy, folder, 'toss-coin.ts'),
      `import { z } from 'zod'
import { lazySchema } from '../../../../shared/lazy-schema'
import { ok, type Tool } from '../tool'
import description from './toss-coin.md?raw'

const input = lazySchema(() => z.strictObject({}))

export function tossCoinTool(): Tool<typeof input> {
  return {
    name: 'TossCoin',
    description,
    input,
    annotations: { readOnly: true, destructive: false, idempotent: false, openWorld: false },
    prepare: async () => ({ summary: '', accesses: [], run: async () => ok(Math.random() < 0.5 ? 'heads' : 'tails') }),
  }
}
`,
    )
    const tools = 'src/main/engine/turn/session/session-tools.ts'
    insert(tools, '      askUserQuestionTool(),\n', '      tossCoinTool(),\n')
    insert(
      tools,
      "import { bashTool } from '../../tool/shell/bash'\n",
      "import { tossCoinTool } from '../../tool/shell/toss-coin'\n",
    )
    insert(
      'src/shared/tool-label.ts',
      'export const BUILTIN_TOOLS: readonly BuiltinTool[] = [\n',
      "  { name: 'TossCoin', label: 'Toss a coin', description: 'Tosses a coin' },\n",
    )
    const known = `const { parsePattern } = await import('../src/main/engine/permission/permission-rule.ts')
      const { toolLabel } = await import('../src/shared/tool-label.ts')
      console.log(JSON.stringify([parsePattern('TossCoin'), toolLabel('TossCoin')]))`
    expect(JSON.parse(evaluate(known))).toEqual([{ tool: 'TossCoin' }, 'Toss a coin'])
  },
  LIMIT_MS,
)

test(
  'a provider that speaks a known protocol is one entry',
  () => {
    insert(
      'src/shared/configuration/provider-types.ts',
      'const PROVIDERS = {\n',
      `  mistral: {
    protocol: 'chat',
    label: 'Mistral',
    defaultUrl: 'https://api.mistral.ai/v1',
    keyVariable: 'MISTRAL_API_KEY',
    modelExample: 'mistral-large-3',
    names: ['mistral'],
    maker: 'mistral',
  },
`,
    )
    const added = `const { parseProvider } = await import('../src/main/host/models/provider-input.ts')
      const { readSettings } = await import('../src/main/engine/config/settings/read-settings.ts')
      const { settings, mistakes } = readSettings({ providers: { mine: { type: 'mistral' } } }, 'config.toml')
      console.log(JSON.stringify([parseProvider('mistral', {}).type, settings.providers.mine.type, mistakes]))`
    expect(JSON.parse(evaluate(added))).toEqual(['mistral', 'mistral', []])
  },
  LIMIT_MS,
)

test(
  'a setting is one entry, and its line in the documentation comes from it',
  () => {
    insert(
      'src/main/engine/config/settings/host-settings.ts',
      "export const NOTIFICATIONS = settingTable('notifications', {\n",
      "  quietly: flag('quietly', false, 'show notifications without a banner'),\n",
    )
    const docs = spawnSync(process.execPath, ['scripts/setting-docs.ts'], { cwd: copy, encoding: 'utf8' })
    expect(docs.stderr).toBe('')
    const page = readFileSync(join(copy, 'docs/configuration.md'), 'utf8')
    expect(page).toMatch(/\| `notifications\.quietly` +\| `false` +\| show notifications without a banner +\|/)
    const read = `const { readSettings } = await import('../src/main/engine/config/settings/read-settings.ts')
      console.log(readSettings({ notifications: { quietly: true } }, 'config.toml').settings.notifications.quietly)`
    expect(evaluate(read)).toBe('true')
  },
  LIMIT_MS,
)

test('a contract method does not compile without its handler and who may call it, and is complete with them', () => {
  expect(Object.fromEntries([...errors].filter(([file]) => isOfMethods(file)))).toEqual({
    'src/main/api/server/router.ts': expect.stringMatching(/^ +Property 'dice' is missing/m) as string,
    'src/shared/contract/method-access.ts': expect.stringMatching(/: coin, dice$/m) as string,
  })
  insert(
    'src/main/api/handlers/app-handlers.ts',
    '    backups: os.app.backups.handler(() => engine.backups.view()),\n',
    '    dice: os.app.dice.handler(() => ({ points: 6 })),\n',
  )
  insert('src/shared/contract/method-access.ts', '  app: {\n', "    coin: 'read',\n    dice: 'read',\n")
})

test(
  'a policy is its function and its place in the list, and an error code is one entry',
  () => {
    insert('src/main/engine/approval/policies/modes.ts', '', 'export const coinPolicy: Policy = () => undefined\n')
    insert(
      'src/main/engine/approval/policies/index.ts',
      'export const POLICIES: readonly Policy[] = [\n',
      '  coinPolicy,\n',
    )
    insert('src/main/engine/approval/policies/index.ts', 'import {\n  acceptEdits,\n', '  coinPolicy,\n')
    insert(
      'src/shared/errors.ts',
      'export const ERRORS = {\n',
      "  'coin.lost': { title: 'The coin was lost', retryable: true, advice: 'Toss another one.' },\n",
    )
    const thrown = `const { CodedError, failureOf } = await import('../src/shared/errors.ts')
      console.log(JSON.stringify(failureOf(new CodedError('coin.lost', 'It rolled away.'))))`
    expect(JSON.parse(evaluate(thrown))).toMatchObject({ code: 'coin.lost', advice: 'Toss another one.' })
  },
  LIMIT_MS,
)

// One compilation for all of them, because that takes longer than everything else here.
test('nothing more has to change for any of them', () => expect(compileErrors()).toEqual(new Map()), LIMIT_MS)
