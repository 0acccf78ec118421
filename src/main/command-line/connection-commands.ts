import { PROVIDER_TYPES, PROVIDER_TYPE_ALIASES } from '../../shared/configuration/provider-types'
import type { CommandSpec, OptionSpec } from '../console/parse-command'
import { MCP_SERVER_SANDBOXES } from '../../shared/configuration/customize/mcp'
import { DEVICE_ACCESS } from '../../shared/model/place/paired-device'

/** `trestle provider`, without `--help`. */
export const PROVIDER_COMMAND: CommandSpec = {
  summary: 'Add, test and remove model providers; keys are read from stdin or the environment.',
  actions: ['list', 'add', 'test', 'remove'],
  positionals: {
    name: 'list|add|test|remove',
    help: [
      '  list         The configured providers, and where their keys come from.',
      '  add NAME     Add one to config.toml. Its key is typed, piped in (--key-stdin) or named (--key-env).',
      '  test NAME    List its models, using its key.',
      '  remove NAME  Remove it, with its models and its stored key.',
    ].join('\n'),
    max: 1000,
  },
  options: {
    type: {
      type: 'string',
      value: 'T',
      choices: [...PROVIDER_TYPES, ...Object.keys(PROVIDER_TYPE_ALIASES)],
      help:
        'add: its API type; ' +
        'inferred from the names anthropic, openai, google and moonshot, and openai-compatible with --base-url.',
    },
    'base-url': { type: 'string', value: 'URL', help: "add: its base URL (default: the vendor's)." },
    'key-env': {
      type: 'string',
      value: 'NAME',
      help: 'add: the environment variable with its key; only the name is saved.',
    },
    'key-stdin': {
      type: 'boolean',
      help: 'add: read the key from stdin and store it, so it never appears in process lists or shell history.',
    },
    'no-key': { type: 'boolean', help: 'add: it needs no key.' },
    replace: { type: 'boolean', help: 'add: replace the provider of this name.' },
    json: { type: 'boolean', help: 'Print JSON, for scripts.' },
  },
  examples: [
    'trestle provider add anthropic',
    'trestle provider add openai --key-env OPENAI_API_KEY',
    'trestle provider add local --base-url http://127.0.0.1:8080/v1 --no-key',
    'pass show kimi | trestle provider add kimi --key-stdin',
    'trestle provider test anthropic',
  ],
  exitCodes: '0 success, 1 failure, 2 incorrect usage, 130 interrupted. See docs/configuration.md.',
}

/** `trestle model`, without `--help`. */
export const MODEL_COMMAND: CommandSpec = {
  summary: 'List, add, test and remove models, and choose the default for new sessions.',
  actions: ['list', 'add', 'test', 'default', 'remove'],
  positionals: {
    name: 'list|add|test|default|remove',
    help: [
      '  list [PROVIDER]  The configured models, or those a provider offers, with their known properties.',
      '  add ID           Add one to config.toml; known properties can be omitted.',
      '  test ID          Send it one small request.',
      '  default [ID]     Show, or choose, the model of new sessions.',
      '  remove ID        Remove it.',
    ].join('\n'),
    max: 1000,
  },
  options: {
    name: {
      type: 'string',
      value: 'NAME',
      help: "add: the provider's model ID, if it differs from the rest of the ID.",
    },
    label: { type: 'string', value: 'TEXT', help: 'add: its display name.' },
    'context-window': { type: 'string', value: 'N', help: 'add: its context window in tokens, if unknown.' },
    'max-output-tokens': { type: 'string', value: 'N', help: 'add: maximum tokens of an answer.' },
    json: { type: 'boolean', help: 'Print JSON, for scripts.' },
  },
  examples: [
    'trestle model list anthropic',
    'trestle model default anthropic/claude-sonnet-5',
    'trestle model add local/qwen3 --context-window 32768',
    'trestle model test local/qwen3',
  ],
  exitCodes: '0 success, 1 failure, 2 incorrect usage. See docs/models.md.',
}

/** `trestle mcp`, without `--help`. */
export const MCP_COMMAND: CommandSpec = {
  summary: 'Add, test, use and remove MCP servers, and sign in to them.',
  actions: ['list', 'add', 'import', 'remove', 'enable', 'disable', 'test', 'tools', 'call', 'login', 'logout', 'logs'],
  positionals: {
    name: 'list|add|import|remove|enable|disable|test|tools|call|login|logout|logs',
    help: [
      '  list                    Your servers and those of the project, with their state. Starts none.',
      '  add NAME URL            Add a remote server; add NAME -- COMMAND ARGS... for a local one.',
      '  import [FROM [NAME...]] Show servers of Claude Code, Cursor and others, or with - those piped in; ' +
        'import them once you confirm.',
      '  remove NAME             Remove it from its file.',
      '  enable|disable NAME     Enable or disable a server; with a TOOL after it, one tool.',
      '  test NAME               Start or connect, list its tools, and disconnect.',
      '  tools NAME              List its tools.',
      '  call NAME TOOL [JSON]   Call a tool with this input, and print the result.',
      '  login|logout NAME       Sign in with the browser; sign out and revoke the token.',
      '  logs NAME               Start it as test does, and print its log.',
    ].join('\n'),
    max: 1000,
  },
  options: {
    cwd: { type: 'string', value: 'DIR', help: 'The project folder (default: here).' },
    project: { type: 'boolean', help: "The project's .mcp.json instead of your own servers." },
    transport: {
      type: 'string',
      value: 'T',
      choices: ['stdio', 'http', 'sse'],
      help: 'add: its transport (default: http for a URL).',
    },
    header: {
      type: 'string',
      value: 'H',
      multiple: true,
      help: 'add: "Name: value" for every request; can be repeated.',
    },
    env: {
      type: 'string',
      value: 'E',
      multiple: true,
      help: 'add: NAME=value for the command; can be repeated. Options come before --.',
    },
    sandbox: {
      type: 'string',
      value: 'S',
      choices: MCP_SERVER_SANDBOXES,
      help:
        'add: what the command runs in: unrestricted (default; ' +
        "not for a project's), project, or project-offline (no network).",
    },
    'client-id': { type: 'string', value: 'ID', help: 'add: the client ID, if Trestle was registered manually.' },
    'client-secret': {
      type: 'string',
      value: 'S',
      help: 'add: the client secret; prefer ${NAME}, which is read from your environment.',
    },
    'client-metadata-url': {
      type: 'string',
      value: 'URL',
      help: 'add: a client ID metadata document that describes Trestle.',
    },
    scope: {
      type: 'string',
      value: 'LIST',
      help: "add: the scopes to request, separated by commas, instead of the server's.",
    },
    'redirect-url': {
      type: 'string',
      value: 'URL',
      help: 'add: the redirect URL, such as http://127.0.0.1:8765/callback.',
    },
    browser: {
      type: 'string',
      value: 'CMD',
      help: 'login, call, test: open the sign-in page with this command; by default its URL is printed.',
    },
    yes: { type: 'boolean', help: 'import: import without asking.' },
    replace: { type: 'boolean', help: 'import: replace your own servers of the same names.' },
    value: {
      type: 'string',
      value: 'V',
      multiple: true,
      help: 'import: ID=VALUE for an input a server needs; can be repeated.',
    },
    answer: {
      type: 'string',
      value: 'JSON',
      help: "call: the values for a form the server shows; '{}' uses its defaults.",
    },
    json: { type: 'boolean', help: 'Print JSON, for scripts.' },
  },
  examples: [
    "trestle mcp add tracker https://mcp.example.com/mcp --header 'X-Team: ${TEAM}'",
    'trestle mcp add --sandbox project notes -- npx -y @modelcontextprotocol/server-memory',
    'trestle mcp test tracker',
    'trestle mcp tools tracker',
    'trestle mcp call tracker search \'{"query":"open bugs"}\'',
  ],
  exitCodes: '0 success, 1 failure, 2 incorrect usage, 130 interrupted. See docs/mcp.md.',
}

/** `trestle engine`, without `--help`. */
export const ENGINE_COMMAND: CommandSpec = {
  summary: 'Hold the engine of this home for all its clients; show, stop or restart the one that runs.',
  actions: ['status', 'stop', 'restart'],
  positionals: {
    name: 'status|stop|restart',
    help: [
      'Without an action, this program becomes the engine. Clients start one on their own.',
      '  status   Whether an engine is running, its version, clients and work.',
      '  stop     Stop it, with its running turns.',
      '  restart  Replace it; running turns continue in the new one.',
    ].join('\n'),
    max: 1,
  },
  options: {
    'when-idle': { type: 'boolean', help: 'stop, restart: wait until no turn is running.' },
    json: { type: 'boolean', help: 'Print JSON, for scripts.' },
  },
  examples: ['trestle engine status', 'trestle engine restart --when-idle', 'trestle engine stop', 'trestle engine'],
  exitCodes:
    '0 success, 1 failure, 2 incorrect usage or not allowed, 3 status: no engine is running. See docs/engine.md.',
}

/** `trestle device`, without `--help`. */
export const DEVICE_COMMAND: CommandSpec = {
  summary: 'Pair, list and revoke phones and other computers that use this Trestle over the network.',
  actions: ['list', 'pair', 'revoke'],
  positionals: {
    name: 'list|pair|revoke',
    help: [
      '  list         Paired devices with their ids, access, and when they were last seen.',
      '  pair         Make a code that pairs one device within 10 minutes.',
      '  revoke ID... Sign devices out immediately and permanently.',
    ].join('\n'),
    max: 51,
  },
  options: {
    access: {
      type: 'string',
      value: 'ACCESS',
      choices: DEVICE_ACCESS,
      help: 'pair: full (default; approve, answer, steer, stop), or read (read-only).',
    },
    json: { type: 'boolean', help: 'Print JSON, for scripts.' },
  },
  examples: [
    'trestle device pair',
    'trestle device pair --access read',
    'trestle device list --json',
    'trestle device revoke 0123456789abcdef',
  ],
  exitCodes: '0 success, 1 failure, 2 incorrect usage or not allowed. See docs/phone.md.',
}

/** The options of `trestle serve` that are about devices. */
export const LISTEN_OPTIONS: Record<string, OptionSpec> = {
  listen: {
    type: 'string',
    value: 'ADDRESS[:PORT]',
    help: 'Also listen for paired devices, with TLS, on an address of this machine (0.0.0.0: all); see docs/phone.md.',
  },
  tailscale: { type: 'boolean', help: 'Also listen for paired devices of your tailnet, through tailscale serve.' },
  name: { type: 'string', value: 'NAME', help: 'With --listen: a name under which devices reach this machine.' },
  cert: { type: 'string', value: 'FILE', help: 'With --listen: a certificate of your own (PEM).' },
  key: { type: 'string', value: 'FILE', help: 'With --cert: its key.' },
}
