import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { locateRules, unreadableRules } from './agent-settings/permission-settings'
import { openConfig, type Config } from './config'
import { DEFAULT_SETTINGS } from './settings/settings'

let home: string
let file: string
let config: Config | undefined

const open = async (text?: string, watch = false): Promise<Config> => {
  if (text !== undefined) writeFileSync(file, text)
  config = await openConfig({ home, watch })
  return config
}
/** Runs `act` and waits for the change it causes. */
const changed = async (opened: Config, act: () => void): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(() => reject(new Error('no change was noticed')), 60_000)
  const stop = opened.onChange(() => resolve())
  act()
  await promise.finally(() => {
    clearTimeout(timer)
    stop()
  })
}
const messages = (opened: Config): string[] =>
  opened.problems.map(({ line, column, message }) => `${line}:${column} ${message}`)

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'trestle-config-'))
  file = join(home, 'config.toml')
})
afterEach(() => {
  config?.close()
  config = undefined
  rmSync(home, { recursive: true, force: true })
})

const example = `default_model = "local/scripted"
[providers.local]
type = "openai-compatible"      # openai-responses | anthropic | google | moonshot
base_url = "http://127.0.0.1:8080/v1/"
api_key_env = "LOCAL_KEY"       # or api_key
headers = { X-Team = "shop" }
[models."local/scripted"]
provider = "local"
model = "scripted"
label = "Local"
context_window = 64000
max_output_tokens = 8192
capabilities = ["tools", "image_in", "thinking"]
[loop]
max_steps = 50
max_attempts = 3
idle_timeout_s = 2.5
retry_base_ms = 10
retry_max_ms = 100
[tools]
disabled = ["Bash"]
hide_env = ["DEPLOY_TOKEN"]
pass_env = ["GITHUB_TOKEN"]
max_result_chars = { Grep = 20000 }
`

describe('reading', () => {
  test('everything in the documentation is accepted', async () => {
    const { settings, problems } = await open(
      `default_permission_mode = "auto"\n${example}[[permission.rules]]\ndecision = "deny"\npattern = "Bash(rm *)"\n`,
    )
    expect(problems).toEqual([])
    expect(settings).toEqual({
      ...DEFAULT_SETTINGS,
      defaultModel: 'local/scripted',
      defaultPermissionMode: 'auto',
      providers: {
        local: {
          type: 'openai-compatible',
          baseUrl: 'http://127.0.0.1:8080/v1',
          apiKeyEnv: 'LOCAL_KEY',
          headers: { 'X-Team': 'shop' },
        },
      },
      models: {
        'local/scripted': {
          provider: 'local',
          model: 'scripted',
          label: 'Local',
          contextWindow: 64_000,
          maxOutputTokens: 8192,
          capabilities: ['tools', 'image_in', 'thinking'],
        },
      },
      loop: { maxSteps: 50, maxAttempts: 3, idleTimeoutMs: 2500, retryBaseMs: 10, retryMaxMs: 100 },
      tools: {
        disabled: ['Bash'],
        hideEnv: ['DEPLOY_TOKEN'],
        passEnv: ['GITHUB_TOKEN'],
        maxResultChars: { Grep: 20_000 },
      },
      permission: {
        rules: [{ decision: 'deny', pattern: 'Bash(rm *)', scope: 'user', file, index: 0, line: expect.any(Number) }],
      },
    })
    expect(settings.providers['constructor']).toBeUndefined()
  })

  test('without a file, defaults apply and nothing is written', async () => {
    const { settings, problems } = await open()
    expect(settings).toEqual(DEFAULT_SETTINGS)
    expect(problems).toEqual([])
    expect(() => statSync(file)).toThrow('ENOENT')
  })

  test('a file that does not parse is reported with line and column, and left unchanged', async () => {
    const broken = 'default_model = "x"\n[loop]\nmax_steps = = 3\n'
    const opened = await open(broken)
    // Its rules are unknown, so everything asks.
    const rule = expect.objectContaining({ decision: 'ask', mistake: 'the file does not parse', line: 3 })
    expect(opened.settings).toEqual({ ...DEFAULT_SETTINGS, permission: { rules: [rule] } })
    expect(opened.problems).toEqual([
      { file, line: 3, column: expect.any(Number), message: expect.stringMatching(/^Not valid TOML: /) },
    ])
    expect(opened.problems[0]?.column).toBeGreaterThan(1)
    await expect(opened.edit([{ path: ['default_model'], value: 'y' }])).rejects.toMatchObject({
      code: 'config.write_failed',
      message: expect.stringContaining('line 3'),
    })
    expect(readFileSync(file, 'utf8')).toBe(broken)
  })

  test.each([
    ['max_step = 3', 'loop', '2:1 Unknown key "max_step" in [loop]; did you mean "max_steps"?'],
    ['max_steps = "3"', 'loop', '2:1 max_steps in [loop] must be a whole number from 1 to 100000, not "3"'],
    ['max_steps = 0', 'loop', '2:1 max_steps in [loop] must be a whole number from 1 to 100000, not 0'],
    [
      'max_steps = 9999999999999999999',
      'loop',
      '2:1 max_steps in [loop] must be a whole number from 1 to 100000, not 9999999999999999999',
    ],
    ['disabled = "Bash"', 'tools', '2:1 disabled in [tools] must be a list like ["a", "b"], not "Bash"'],
    ['disabled = ["Bash", 3]', 'tools', '2:21 disabled in [tools] can hold text in quotes, not 3'],
    ['max_result_chars = 5', 'tools', '2:1 max_result_chars in [tools] must be a table, not 5'],
    [
      'type = "antropic"',
      'providers.p',
      '2:1 type in [providers.p] must be "openai-compatible", "openai-responses", ' +
        '"anthropic", "google" or "moonshot", not "antropic"; did you mean "anthropic"?',
    ],
    [
      'base_url = "https://x"',
      'providers.p',
      '1:2 [providers.p] needs a type: openai-compatible, openai-responses, anthropic, google, moonshot',
    ],
    [
      'type = "openai-compatible"',
      'providers.p',
      '1:2 [providers.p] needs a base_url: an openai-compatible server has no usual address',
    ],
    [
      'type = "google"\nbase_url = "localhost:80"',
      'providers.p',
      '3:1 base_url in [providers.p] must be an address like "https://host/v1", not "localhost:80"',
    ],
    [
      'provider = "missing"\nmodel = "m"',
      'models."a/b"',
      '2:1 provider in [models."a/b"] is "missing", but there is no [providers.missing]',
    ],
    ['model = "m"', 'models."a/b"', '1:2 [models."a/b"] needs a provider'],
  ])('reports what is wrong with %j, and where', async (text, table, expected) => {
    const opened = await open(`[${table}]\n${text}\n`)
    expect(messages(opened)).toEqual([expected])
  })

  test.each([
    ['kimi', 'moonshot'],
    ['openai_responses', 'openai-responses'],
    ['google_genai', 'google'],
  ])('accepts %s as the provider type %s', async (alias, type) => {
    const opened = await open(`[providers.p]\ntype = "${alias}"\n`)
    expect(messages(opened)).toEqual([])
    expect(opened.settings.providers['p']).toEqual({ type })
  })

  test('an invalid value affects only itself', async () => {
    const opened = await open(
      example
        .replace('max_steps = 50', 'max_steps = "many"')
        .replace('"image_in"', '"images"')
        .replace('label = "Local"', 'label = 7') + 'colour = 1\n',
    )
    expect(opened.settings.loop).toEqual({
      maxSteps: 200,
      maxAttempts: 3,
      idleTimeoutMs: 2500,
      retryBaseMs: 10,
      retryMaxMs: 100,
    })
    expect(opened.settings.models['local/scripted']).toMatchObject({
      capabilities: ['tools', 'thinking'],
      contextWindow: 64_000,
    })
    expect(opened.problems.map((problem) => problem.line)).toEqual([10, 13, 15, 25])
  })

  test('a provider with an invalid address is left out, so that its key is not sent elsewhere', async () => {
    const opened = await open(
      '[providers.p]\ntype = "anthropic"\nbase_url = "htp://proxy"\n' +
        'api_key = "k"\n[models."p/m"]\nprovider = "p"\nmodel = "m"\n',
    )
    expect(opened.settings.providers).toEqual({})
    expect(opened.settings.models).toEqual({})
    expect(messages(opened)[1]).toBe('6:1 provider in [models."p/m"] is "p", which has a mistake')
  })

  test('a key is never quoted in a message', async () => {
    const opened = await open(
      '[providers.p]\ntype = "google"\napi_key = 1234567890\n[providers.q]\n' +
        'type = "google"\napi_key = "sk-secret\\nx"\nheaders = { Auth = ["tok-secret"] }\n',
    )
    expect(opened.problems).toHaveLength(3)
    expect(JSON.stringify(opened.problems)).not.toMatch(/123456|secret/)
  })

  test('a folder instead of the file, a wrong encoding and a huge file are reported, not thrown', async () => {
    mkdirSync(file)
    expect((await open()).problems[0]?.message).toMatch(/not a plain file/)
    rmSync(file, { recursive: true })
    writeFileSync(file, Buffer.from([0x61, 0x3d, 0x22, 0xff, 0x22]))
    expect((await open()).problems[0]?.message).toMatch(/not UTF-8/)
    writeFileSync(file, '#'.repeat(5 * 1024 * 1024))
    expect((await open()).problems[0]?.message).toMatch(/too large/)
  })
})

describe('what is not understood and may be the strictest', () => {
  test.each([
    ['mode = "requierd"', 'mode in [sandbox]'],
    ['mode = ["required"]', 'mode in [sandbox]'],
    ['mode = true', 'mode in [sandbox]'],
  ])('counts as that: [sandbox] %s', async (line, told) => {
    const { settings, problems } = await open(`[sandbox]\n${line}\n[[sandbox.folders]]\nfolder = "~/a"\n${line}\n`)
    expect(settings.sandbox.mode).toBe('required')
    expect(settings.sandbox.folders).toMatchObject([{ folder: '~/a', mode: 'required' }])
    expect(problems[0]?.message).toContain(told)
  })

  test('counts as that: sandbox is not a table', async () => {
    expect((await open('sandbox = "required"\n')).settings.sandbox.mode).toBe('required')
  })

  test('everything asks while tables are too deep to be used, which is found out at once', async () => {
    const deny = '[[permission.rules]]\ndecision = "deny"\npattern = "Bash(ls *)"\n'
    for (const deep of [`a${'.a'.repeat(50_000)} = 1\n`, `[a${'.a'.repeat(50_000)}]\n`]) {
      const { settings, problems } = await open(`${deep}${deny}`)
      expect(problems).toMatchObject([{ file, message: expect.stringContaining('levels deep') }])
      expect(settings.permission.rules).toMatchObject([{ decision: 'ask', pattern: '*' }])
    }
  })

  test('very many rules are read like a few', async () => {
    const text = '[[permission.rules]]\n'.repeat(200_000)
    const rules = Array.from({ length: 200_000 }, (_, index) => ({
      ...unreadableRules({ scope: 'user', file }, ''),
      index,
    }))
    expect((await locateRules(rules, text)).at(-1)?.line).toBe(200_000)
  })
})

describe('watching', () => {
  test('a saved file takes effect, even if it was replaced by renaming or created later', async () => {
    const opened = await open(undefined, true)
    await changed(opened, () => writeFileSync(file, 'default_model = "a/b"\n'))
    expect(opened.settings.defaultModel).toBe('a/b')
    await changed(opened, () => {
      writeFileSync(`${file}.new`, 'default_model = "c/d"\n')
      renameSync(`${file}.new`, file)
    })
    expect(opened.settings.defaultModel).toBe('c/d')
    await changed(opened, () => rmSync(file))
    expect(opened.settings).toEqual(DEFAULT_SETTINGS)
  })

  test('while the file does not parse, the last valid settings stay, and the problem is reported', async () => {
    const opened = await open('default_model = "a/b"\n', true)
    await changed(opened, () => writeFileSync(file, 'default_model = \n'))
    expect(opened.settings.defaultModel).toBe('a/b')
    expect(opened.problems).toHaveLength(1)
    await changed(opened, () => writeFileSync(file, 'default_model = "e/f"\n'))
    expect(opened.settings.defaultModel).toBe('e/f')
    expect(opened.problems).toEqual([])
  })

  test('a symlinked file is followed', async () => {
    const real = mkdtempSync(join(tmpdir(), 'trestle-dotfiles-'))
    writeFileSync(join(real, 'my.toml'), 'default_model = "a/b"\n')
    symlinkSync(join(real, 'my.toml'), file)
    const opened = await open(undefined, true)
    await changed(opened, () => writeFileSync(join(real, 'my.toml'), 'default_model = "c/d"\n'))
    expect(opened.settings.defaultModel).toBe('c/d')
    await opened.edit([{ path: ['default_model'], value: 'e/f' }])
    expect(readFileSync(join(real, 'my.toml'), 'utf8')).toBe('default_model = "e/f"\n')
    opened.close()
    rmSync(real, { recursive: true })
  })
})

describe('editing', () => {
  test('an edit is written to a private file, applied to the settings and reported to listeners', async () => {
    const opened = await open(`# mine\n${example}`)
    chmodSync(file, 0o644)
    let told = 0
    opened.onChange(() => (told += 1))
    await opened.edit([
      { path: ['providers', 'claude'], value: { type: 'anthropic', api_key_env: 'ANTHROPIC_API_KEY' } },
    ])
    expect(opened.settings.providers['claude']).toEqual({ type: 'anthropic', apiKeyEnv: 'ANTHROPIC_API_KEY' })
    expect(readFileSync(file, 'utf8')).toContain('# mine\ndefault_model')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(told).toBe(1)
  })

  test('a change made on disk in the meantime is kept', async () => {
    const opened = await open('default_model = "a/b"\n')
    writeFileSync(file, 'default_model = "a/b"\n# by hand\ndefault_permission_mode = "auto"\n')
    await opened.edit([{ path: ['default_model'], value: 'c/d' }])
    expect(readFileSync(file, 'utf8')).toBe('default_model = "c/d"\n# by hand\ndefault_permission_mode = "auto"\n')
    expect(opened.settings.defaultPermissionMode).toBe('auto')
  })

  test('concurrent edits are all applied', async () => {
    const opened = await open()
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => opened.edit([{ path: ['providers', `p${n}`, 'type'], value: 'google' }])),
    )
    expect(Object.keys(opened.settings.providers)).toHaveLength(20)
  })
})

test('[web] sets allowed hosts and the search provider, and its mistakes are reported', async () => {
  const right = await open(
    '[web]\nallowed_hosts = ["docs.local:8080"]\n[web.search]\n' +
      'provider = "searxng"\nbase_url = "http://127.0.0.1:8888/"\n',
  )
  expect(messages(right)).toEqual([])
  expect(right.settings.web).toEqual({
    allowedHosts: ['docs.local:8080'],
    search: { provider: 'searxng', baseUrl: 'http://127.0.0.1:8888' },
  })
  right.close()
  const wrong = await open('[web]\nallowed_hosts = ["http://x/"]\n[web.search]\nprovider = "bing"\n')
  expect(messages(wrong)).toHaveLength(2)
  expect(wrong.settings.web).toEqual({ allowedHosts: [] })
  wrong.close()
  expect(messages(await open('[web.search]\nprovider = "searxng"\n')).join()).toContain('base_url')
})

test('a threshold in the environment that is not a number is reported', async () => {
  const problemsWith = async (value: string): Promise<string[]> => {
    config?.close()
    config = await openConfig({ home, env: { TRESTLE_TOOL_SEARCH_MATCHING_THRESHOLD: value } })
    return config.problems.map(({ message }) => message)
  }
  expect(await problemsWith('high')).toEqual([
    expect.stringContaining('TRESTLE_TOOL_SEARCH_MATCHING_THRESHOLD must be a number from 0 to 1000, not "high"'),
  ])
  expect(await problemsWith('-1')).toHaveLength(1)
  expect(await problemsWith('2.5')).toEqual([])
  expect(await problemsWith('')).toEqual([])
})
