import { PROVIDER_TYPES, providerFacts } from '../../../shared/configuration/provider-types'
import { delimiter, dirname, join } from 'node:path'
import type { Settings } from '../config/settings/settings'

/**
 * Keys of model and search providers: commands never see them, whether or not a provider of that name is configured.
 */
const KEYS = [
  ...PROVIDER_TYPES.map((type) => providerFacts(type).keyVariable),
  'ANTHROPIC_AUTH_TOKEN',
  'GOOGLE_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'KIMI_API_KEY',
  'OPENROUTER_API_KEY',
  'AI_GATEWAY_API_KEY',
  'AZURE_OPENAI_API_KEY',
  'DEEPSEEK_API_KEY',
  'GROQ_API_KEY',
  'MISTRAL_API_KEY',
  'XAI_API_KEY',
  'BRAVE_API_KEY',
  'TAVILY_API_KEY',
]

/** Variables of the terminal or process that started Trestle, which would mislead a program in its own terminal. */
const OF_OUR_PARENT = new Set([
  'TMUX',
  'TMUX_PANE',
  'STY',
  'WINDOW',
  'WINDOWID',
  'TERMCAP',
  'TERM_PROGRAM',
  'TERM_PROGRAM_VERSION',
  'COLUMNS',
  'LINES',
  'ELECTRON_RUN_AS_NODE',
  'NODE_CHANNEL_FD',
  'NODE_CHANNEL_SERIALIZATION_MODE',
])

/** Prevents waiting in a pager. */
const NO_PAGERS = { PAGER: 'cat', GIT_PAGER: 'cat', MANPAGER: 'cat', SYSTEMD_PAGER: 'cat' }

/**
 * Prevents waiting in an editor: a program that opens one fails immediately and prints what to do instead. Programs
 * that split this value into words instead of passing it to a shell fail as quickly, but without the advice.
 */
const NO_EDITOR =
  `sh -c 'echo "No editor can be used here. Pass the text with an option or a file (git commit -m or -F). ` +
  'To keep a text that is there already, set GIT_EDITOR=true; ' +
  `to edit a list, set GIT_SEQUENCE_EDITOR to a command." >&2; exit 1'`
const EDITORS = [
  'EDITOR',
  'VISUAL',
  'GIT_EDITOR',
  'GIT_SEQUENCE_EDITOR',
  'SUDO_EDITOR',
  'HGEDITOR',
  'SVN_EDITOR',
  'KUBE_EDITOR',
]

/** `git diff` would write the index even without optional locks. */
const GIT_ONLY_READS = {
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'diff.autoRefreshIndex',
  GIT_CONFIG_VALUE_0: 'false',
}

/** Variables that npm adds only for the script it runs. */
const OF_NPM =
  /^(?:npm_(?:lifecycle_.*|package_.*|command|execpath|node_execpath|config_(?:local_prefix|global_prefix|prefix|node_gyp|npm_version))|INIT_CWD)$/

type EnvSettings = Pick<Settings, 'providers' | 'tools' | 'web'>

/**
 * The environment commands start from: `base` without the keys of configured and well-known providers, the names in
 * `[tools] hide_env` (case-insensitive), variables that look like secrets (`isSecretVariable`) unless `[tools]
 * pass_env` names them, Trestle's own variables, and those of the process that started Trestle; and with editors
 * disabled, because no user could answer them. The keys stay in Trestle's own process, so this hides them from
 * programs that read their environment, not from one that reads the memory of another process of the same user.
 */
export function commandEnv(base: NodeJS.ProcessEnv, settings: EnvSettings): Record<string, string> {
  return { ...envWithout(base, withheld(settings)), ...noEditors(base, settings) }
}

/** All editor variables except those in `[tools] pass_env`. */
function noEditors(base: NodeJS.ProcessEnv, { tools }: EnvSettings): Record<string, string> {
  const stopped = EDITORS.filter((name) => base[name] === undefined || !tools.passEnv.includes(name))
  return Object.fromEntries(stopped.map((name) => [name, NO_EDITOR]))
}

/**
 * The environment for variables that a definition names explicitly: like `commandEnv`, but withholds only keys and the
 * names in `[tools] hide_env`.
 */
export function namedEnv(base: NodeJS.ProcessEnv, settings: EnvSettings): Record<string, string> {
  const hidden = hiddenNames(settings)
  return envWithout(base, (name) => hidden.has(name.toUpperCase()))
}

/**
 * The environment of the user's own terminals, with their pager, editor and secrets. Only keys of providers and the
 * names in `[tools] hide_env` are withheld, because those are Trestle's.
 */
export function userEnv(base: NodeJS.ProcessEnv, settings: EnvSettings): Record<string, string> {
  const env = namedEnv(base, settings)
  for (const name of [
    ...Object.keys(NO_PAGERS),
    'GIT_TERMINAL_PROMPT',
    'GIT_OPTIONAL_LOCKS',
    ...Object.keys(GIT_ONLY_READS),
  ]) {
    const own = base[name]
    if (own === undefined) delete env[name]
    else env[name] = own
  }
  return env
}

function envWithout(
  base: NodeJS.ProcessEnv,
  isWithheld: (name: string, value: string) => boolean,
): Record<string, string> {
  const fromNpm = base['npm_lifecycle_event'] !== undefined
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(base)) {
    const upper = name.toUpperCase()
    if (
      value === undefined ||
      OF_OUR_PARENT.has(upper) ||
      upper.startsWith('TRESTLE_') ||
      (fromNpm && OF_NPM.test(name))
    )
      continue
    if (isWithheld(name, value)) continue
    env[name] = fromNpm && upper === 'PATH' ? withoutNpmFolders(value, base['npm_package_json']) : value
  }
  if (base['APPIMAGE'] && base['APPDIR']) leaveMount(env, base['APPDIR'])
  // Programs color their output for the pane.
  Object.assign(env, { TERM: 'xterm-256color', COLORTERM: 'truecolor', ...NO_PAGERS })
  env['GIT_TERMINAL_PROMPT'] ??= '0'
  // Keeps read-only commands (git status) from changing the index and locking out the user's own git.
  env['GIT_OPTIONAL_LOCKS'] ??= '0'
  if (!Object.keys(base).some((name) => name.startsWith('GIT_CONFIG_'))) Object.assign(env, GIT_ONLY_READS)
  return env
}

/**
 * Variables for commands in a client's terminal, on top of its own environment: the keys and other secrets of `base`,
 * emptied, and pagers and editors disabled.
 */
export function clientTerminalEnv(base: NodeJS.ProcessEnv, settings: EnvSettings): Record<string, string> {
  const isWithheld = withheld(settings)
  const emptied = Object.entries(base).flatMap(([name, value]) =>
    value !== undefined && isWithheld(name, value) ? [name] : [],
  )
  return {
    ...Object.fromEntries(emptied.map((name) => [name, ''])),
    ...NO_PAGERS,
    ...noEditors(base, settings),
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
  }
}

/** Whether a variable is withheld from commands. Naming a provider key in `pass_env` does not pass it on. */
function withheld(settings: EnvSettings): (name: string, value: string) => boolean {
  const hidden = hiddenNames(settings)
  const passed = new Set(settings.tools.passEnv.map((name) => name.toUpperCase()))
  return (name, value) =>
    hidden.has(name.toUpperCase()) || (!passed.has(name.toUpperCase()) && isSecretVariable(name, value))
}

/** The names in upper case. */
function hiddenNames(settings: EnvSettings): Set<string> {
  const configured = Object.values(settings.providers).flatMap((provider) => provider.apiKeyEnv ?? [])
  const searchKey = settings.web.search?.apiKeyEnv
  if (searchKey !== undefined) configured.push(searchKey)
  return new Set([...KEYS, ...configured, ...settings.tools.hideEnv].map((name) => name.toUpperCase()))
}

/**
 * Removes the folders of an AppImage's mount from search paths: its libraries are not meant for the user's programs,
 * and disappear with the app.
 */
function leaveMount(env: Record<string, string>, mount: string): void {
  for (const name of ['APPIMAGE', 'APPDIR', 'ARGV0', 'OWD']) delete env[name]
  for (const [name, value] of Object.entries(env)) {
    if (!value.includes(mount)) continue
    const kept = value.split(delimiter).filter((entry) => entry !== '' && !entry.startsWith(mount))
    if (kept.length > 0) env[name] = kept.join(delimiter)
    else delete env[name]
  }
}

/**
 * Removes npm's folders from PATH: npm puts the package's programs first, including Trestle's own `node`, but the
 * user's commands must find the user's programs.
 */
function withoutNpmFolders(path: string, packageJson: string | undefined): string {
  const own = new Set<string>()
  for (let folder = dirname(packageJson ?? '/'); ; folder = dirname(folder)) {
    own.add(join(folder, 'node_modules', '.bin'))
    if (dirname(folder) === folder) break
  }
  return path
    .split(delimiter)
    .filter((entry) => !own.has(entry) && !/[\\/]@npmcli[\\/]run-script[\\/]lib[\\/]node-gyp-bin$/.test(entry))
    .join(delimiter)
}

/** Words in a variable's name that make it a secret: `DB_PASS`, `npm_config__auth`. */
const SECRET_WORDS = new Set(
  (
    'TOKEN TOKENS SECRET SECRETS PASSWORD PASSWORDS PASSWD PASSPHRASE PASSCODE PASS ' +
    'PWD CREDENTIAL CREDENTIALS CREDS AUTH AUTHORIZATION BEARER JWT PAT KEY KEYS COOKIE'
  ).split(' '),
)
/** Secret words at the end of a longer word: `PGPASSWORD`, `GITHUBTOKEN`. */
const SECRET_ENDING = /(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|APIKEY|ACCESSKEY|SECRETKEY|PRIVATEKEY|CREDENTIALS?)$/
/** Exceptions: folders of the shell, sockets, askpass programs, and public values. */
const HARMLESS_NAME =
  /^(?:PWD|OLDPWD|PASS|KEY|KEYS|TOKENS|AUTH)$|(?:^|_)(?:SOCK|SOCKET|ASKPASS|PUBLIC_KEYS?|KEY_?BINDINGS?|KEY_?TIMEOUT)$/
/** `MAX_TOKENS=4096`, `CACHE_KEY_VERSION=2`, `USE_AUTH=true`. */
const HARMLESS_VALUE = /^(?:|true|false|yes|no|on|off|none|\d{1,9})$/i
const ALWAYS_SECRET = /PASS|PWD|SECRET/

/** Values that are secrets under any name; each pattern runs in linear time. */
const SECRET_VALUES: readonly RegExp[] = [
  // GitHub, GitLab, npm, PyPI, Hugging Face, Shopify, DigitalOcean, Grafana, SendGrid.
  /\b(?:gh[pousr]_|github_pat_|glpat-|npm_|pypi-|hf_|shpat_|dop_v1_|glsa_|SG\.)[A-Za-z0-9_.-]{16}/,
  // Model providers and Stripe.
  /\b(?:sk|rk)[-_][A-Za-z0-9_-]{16}/,
  // AWS, Google, Slack.
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\bAIza[A-Za-z0-9_-]{30}/,
  /\bya29\.[A-Za-z0-9_-]{16}/,
  /\bxox[a-z]-[A-Za-z0-9-]{8}/,
  /\bxapp-[A-Za-z0-9-]{8}/,
  // JSON web tokens, private keys, and credentials in headers.
  /\beyJ[A-Za-z0-9_-]{8,512}\.[A-Za-z0-9_-]{8}/,
  /PRIVATE KEY(?: BLOCK)?-----|AGE-SECRET-KEY-/,
  /\b(?:bearer|basic)\s{1,4}[A-Za-z0-9+/=._~-]{16}/i,
  // A URL with a password, or with a token as the user.
  /:\/\/[^\s/?#@:]{0,256}:[^\s/?#@]{1,1024}@/,
  /https?:\/\/[^\s/?#@:]{16,1024}@/,
]

/**
 * Whether an environment variable looks like a secret, by a word of its name (TOKEN, SECRET, PASSWORD, KEY, AUTH and
 * the like; words end at `_`, other punctuation and capitals) or by its value. `SSH_AUTH_SOCK`, `XAUTHORITY` and
 * `GIT_AUTHOR_NAME` are not secrets. The full rule: docs/configuration.md.
 */
export function isSecretVariable(name: string, value: string): boolean {
  return (value !== '' && isSecretName(name, value)) || SECRET_VALUES.some((pattern) => pattern.test(value))
}

function isSecretName(name: string, value: string): boolean {
  const upper = name.replaceAll(/([a-z\d])([A-Z])/g, '$1_$2').toUpperCase()
  if (HARMLESS_NAME.test(upper)) return false
  const isSecret = upper.split(/[^A-Z\d]+/).some((word) => SECRET_WORDS.has(word) || SECRET_ENDING.test(word))
  return isSecret && (ALWAYS_SECRET.test(upper) || !HARMLESS_VALUE.test(value))
}

const WHOLE_VALUES = SECRET_VALUES.map(({ source, flags }) => new RegExp(`${source}[^\\s"'\`<>]*`, `${flags}g`))

/** Replaces everything that looks like a secret value with `mask`. */
export function maskSecretValues(text: string, mask: string): string {
  return WHOLE_VALUES.reduce((masked, pattern) => masked.replaceAll(pattern, mask), text)
}
