import { PROVIDER_TYPE_ALIASES, PROVIDER_TYPES } from '../../shared/model/settings'
import type { CommandSpec } from './parse'

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
    'key-env': { type: 'string', value: 'NAME', help: 'add: the environment variable that has its key; only the name is written down.' },
    'key-stdin': { type: 'boolean', help: 'add: read the key from stdin and store it, so that it is in no list of processes or history.' },
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
    name: { type: 'string', value: 'NAME', help: 'add: what the provider calls it, where that is not the rest of the ID.' },
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
