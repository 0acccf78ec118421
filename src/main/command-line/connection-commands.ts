import { PROVIDER_TYPE_ALIASES, PROVIDER_TYPES } from '../../shared/configuration/settings'
import type { CommandSpec } from '../console/parse-command'
import { MCP_SERVER_SANDBOXES } from '../../shared/configuration/mcp'

/** `trestle provider`, but for `--help`. */
export const PROVIDER_COMMAND: CommandSpec = {
  summary: 'Add, try and remove providers of models; their keys are read from stdin or the environment.',
  actions: ['list', 'add', 'test', 'remove'],
  positionals: {
    name: 'list|add|test|remove',
    help: [
      'what to do, and with which provider.',
      '  list         The configured providers, and where their keys come from.',
      '  add NAME     Write one into config.toml. A key is asked for, piped in (--key-stdin) or named (--key-env).',
      '  test NAME    Ask it for its models, with its key.',
      '  remove NAME  Take it out, with its models and its stored key.',
    ].join('\n'),
    max: 1000,
  },
  options: {
    type: {
      type: 'string',
      value: 'T',
      choices: [...PROVIDER_TYPES, ...Object.keys(PROVIDER_TYPE_ALIASES)],
      help: 'add: what it speaks; known from the names anthropic, openai, google and moonshot, and openai-compatible with --base-url.',
    },
    'base-url': { type: 'string', value: 'URL', help: "add: its address (default: the vendor's own)." },
    'key-env': {
      type: 'string',
      value: 'NAME',
      help: 'add: the environment variable that has its key; only the name is written down.',
    },
    'key-stdin': {
      type: 'boolean',
      help: 'add: read the key from stdin and store it, so that it is in no list of processes or history.',
    },
    'no-key': { type: 'boolean', help: 'add: it needs none.' },
    replace: { type: 'boolean', help: 'add: in the place of the one of this name.' },
    json: { type: 'boolean', help: 'Print JSON, for scripts.' },
  },
  examples: [
    'trestle provider add anthropic',
    'trestle provider add openai --key-env OPENAI_API_KEY',
    'trestle provider add local --base-url http://127.0.0.1:8080/v1 --no-key',
    'pass show kimi | trestle provider add kimi --key-stdin',
    'trestle provider test anthropic',
  ],
  exitCodes: '0 it worked, 1 it failed, 2 wrong usage, 130 interrupted. See docs/configuration.md.',
}

/** `trestle model`, but for `--help`. */
export const MODEL_COMMAND: CommandSpec = {
  summary: 'List, add, try and remove models, and choose the one that new sessions use.',
  actions: ['list', 'add', 'test', 'default', 'remove'],
  positionals: {
    name: 'list|add|test|default|remove',
    help: [
      'what to do, and with which model, as provider/model.',
      '  list [PROVIDER]  The configured models, or those that a provider offers, with what is known of them.',
      '  add ID           Write one into config.toml; what is known of it need not be said.',
      '  test ID          Send it one tiny request.',
      '  default [ID]     Show, or choose, the model of new sessions.',
      '  remove ID        Take it out.',
    ].join('\n'),
    max: 1000,
  },
  options: {
    name: {
      type: 'string',
      value: 'NAME',
      help: 'add: what the provider calls it, where that is not the rest of the ID.',
    },
    label: { type: 'string', value: 'TEXT', help: 'add: what it is called on screen.' },
    'context-window': { type: 'string', value: 'N', help: 'add: the tokens of its window, where they are not known.' },
    'max-output-tokens': { type: 'string', value: 'N', help: 'add: the tokens of an answer to ask for.' },
    json: { type: 'boolean', help: 'Print JSON, for scripts.' },
  },
  examples: [
    'trestle model list anthropic',
    'trestle model default anthropic/claude-sonnet-5',
    'trestle model add local/qwen3 --context-window 32768',
    'trestle model test local/qwen3',
  ],
  exitCodes: '0 it worked, 1 it failed, 2 wrong usage. See docs/models.md.',
}

/** `trestle mcp`, but for `--help`. */
export const MCP_COMMAND: CommandSpec = {
  summary: 'Add, try, use and remove MCP servers, and sign in to them.',
  actions: ['list', 'add', 'import', 'remove', 'enable', 'disable', 'test', 'tools', 'call', 'login', 'logout', 'logs'],
  positionals: {
    name: 'list|add|import|remove|enable|disable|test|tools|call|login|logout|logs',
    help: [
      'what to do, and with which server.',
      '  list                    Those of your own and of the project, with their state. Starts none.',
      '  add NAME URL            Connect to a server; add NAME -- COMMAND ARGS... for one that is run here.',
      '  import [FROM [NAME...]] Show what Claude Code, Cursor and others have, or - what is piped in; take it over when you say so.',
      '  remove NAME             Take it out of its file.',
      '  enable|disable NAME     Switch a server on or off; with a TOOL after it, one tool.',
      '  test NAME               Start or connect, ask for its tools, and let go.',
      '  tools NAME              Ask it for its tools, and list them.',
      '  call NAME TOOL [JSON]   Call a tool with this input, and print the result.',
      '  login|logout NAME       Sign in with the browser; revoke and forget the sign-in.',
      '  logs NAME               Start it as test does, and print what it writes.',
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
      help: 'add: how it is reached (default: http for a URL).',
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
      help: "add: what the command runs in: unrestricted (default; not for a project's), project, or project-offline (no network).",
    },
    'client-id': { type: 'string', value: 'ID', help: 'add: the client id, where Trestle was registered by hand.' },
    'client-secret': {
      type: 'string',
      value: 'S',
      help: 'add: its secret; better written as ${NAME}, which is read from your environment.',
    },
    'client-metadata-url': {
      type: 'string',
      value: 'URL',
      help: 'add: a client id metadata document that describes Trestle.',
    },
    scope: {
      type: 'string',
      value: 'LIST',
      help: 'add: the scopes to ask for, with commas, instead of what the server says.',
    },
    'redirect-url': {
      type: 'string',
      value: 'URL',
      help: 'add: where the browser comes back to, such as http://127.0.0.1:8765/callback.',
    },
    browser: {
      type: 'string',
      value: 'CMD',
      help: 'login, call, test: open the sign-in page with this command; without it, its address is printed.',
    },
    yes: { type: 'boolean', help: 'import: take it over without asking.' },
    replace: { type: 'boolean', help: 'import: in the place of your own servers of the same names.' },
    value: {
      type: 'string',
      value: 'V',
      multiple: true,
      help: 'import: ID=VALUE for what a server asks for; can be repeated.',
    },
    answer: {
      type: 'string',
      value: 'JSON',
      help: "call: fill in the form the server asks for; '{}' takes its defaults.",
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
  exitCodes: '0 it worked, 1 it failed, 2 wrong usage, 130 interrupted. See docs/mcp.md.',
}
