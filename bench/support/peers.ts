/**
 * The programs that are compared with Trestle, as their npm packages in the folder that TRESTLE_BENCH_PEERS names
 * (README.md explains how to install them). Each is configured for the scripted model, has its own home, and runs
 * without approval.
 */
import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import type { Answer, ToolCall } from './model-server.ts'
import { PATH_OF_USER, trestleStart } from './print-run.ts'
import type { ProgramStart } from './program-run.ts'
import { WIRE_FORMATS, type WireFormat } from './response-lines.ts'
import { put, sourceFile, SOURCE_FILES, type Scratch } from './scratch.ts'

/** The action of a step in the scripts. Each program has its own tool for it. */
export type Action = { read: string } | { run: string } | { find: string }

/** A program to be measured. */
export interface Program {
  name: string
  /** The formats it supports. The first one is used in all other benchmarks. */
  wires: readonly WireFormat[]
  /** Configures it in `scratch.home` and returns how to start it with the prompt. `wire`: one of its `wires`. */
  start(scratch: Scratch, baseUrl: string, wire: WireFormat): ProgramStart
  /** The tool call that performs this action. */
  call(action: Action): ToolCall
}

/** The built program. */
export const TRESTLE: Program = {
  name: 'Trestle',
  wires: WIRE_FORMATS,
  start: (scratch, baseUrl, wire) => trestleStart(scratch, baseUrl, { wire }),
  call: (action) =>
    'read' in action
      ? { name: 'Read', input: { path: action.read } }
      : 'run' in action
        ? { name: 'Bash', input: { command: action.run } }
        : { name: 'Grep', input: { pattern: action.find, output_mode: 'content' } },
}

/** A turn with this number of steps: reading a file, running `true` and searching, in rotation. */
export function cycleOf(program: Program, steps: number): (n: number) => Answer | undefined {
  return (n) => {
    if (n >= steps) return undefined
    const actions: Action[] = [{ read: sourceFile(n % SOURCE_FILES) }, { run: 'true' }, { find: 'needle' }]
    return { calls: [program.call(actions[n % 3]!)] }
  }
}

const PROMPT = 'Do what the script says.'
const packages = (folder: string, ...path: string[]): string => join(folder, 'node_modules', ...path)

/** The installed programs in the folder, out of Codex, pi and Kimi Code. */
export function installedPeers(folder: string): Program[] {
  const codex = globSync(packages(folder, '@openai', 'codex-*', 'vendor', '*', 'bin', 'codex'))[0]
  const pi = packages(folder, '@mariozechner', 'pi-coding-agent', 'dist', 'cli.js')
  const kimi = packages(folder, '@moonshot-ai', 'kimi-code', 'dist', 'main.mjs')
  return [
    ...(codex === undefined ? [] : [codexProgram(codex)]),
    ...(existsSync(pi) ? [piProgram(pi)] : []),
    ...(existsSync(kimi) ? [kimiProgram(kimi)] : []),
  ]
}

/** Codex: the native program instead of its JavaScript launcher, without its sandbox. */
function codexProgram(binary: string): Program {
  return {
    name: 'Codex',
    wires: ['responses'],
    start({ home, project }, baseUrl) {
      put(
        join(home, 'config.toml'),
        [
          'model = "scripted"',
          'model_provider = "bench"',
          'check_for_update_on_startup = false',
          '[model_providers.bench]',
          'name = "bench"',
          `base_url = "${baseUrl}"`,
          'wire_api = "responses"',
        ].join('\n'),
      )
      return {
        command: binary,
        args: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', PROMPT],
        env: { PATH: PATH_OF_USER, HOME: home, CODEX_HOME: home },
        cwd: project,
      }
    },
    // It has no tools for reading and searching: its models use the shell.
    call: (action) => ({
      name: 'exec_command',
      input: {
        cmd: 'read' in action ? `cat ${action.read}` : 'run' in action ? action.run : `grep -rn ${action.find} .`,
      },
    }),
  }
}

function piProgram(script: string): Program {
  return {
    name: 'pi',
    wires: ['chat'],
    start({ home, project }, baseUrl) {
      const model = { id: 'scripted', contextWindow: 10_000_000, input: ['text'] }
      put(
        join(home, 'models.json'),
        JSON.stringify({
          providers: { bench: { baseUrl, api: 'openai-completions', apiKey: 'none', models: [model] } },
        }),
      )
      return {
        command: process.execPath,
        args: [script, '-p', PROMPT, '--provider', 'bench', '--model', 'scripted', '--tools', 'read,bash,grep'],
        env: { PATH: PATH_OF_USER, HOME: home, PI_CODING_AGENT_DIR: home, PI_OFFLINE: '1', PI_TELEMETRY: '0' },
        cwd: project,
      }
    },
    call: (action) =>
      'read' in action
        ? { name: 'read', input: { path: action.read } }
        : 'run' in action
          ? { name: 'bash', input: { command: action.run } }
          : { name: 'grep', input: { pattern: action.find } },
  }
}

function kimiProgram(script: string): Program {
  return {
    name: 'Kimi Code',
    wires: ['chat'],
    start({ home, project }, baseUrl) {
      put(
        join(home, 'config.toml'),
        [
          'default_model = "scripted"',
          'telemetry = false',
          '[providers.bench]',
          'type = "openai"',
          `base_url = "${baseUrl}"`,
          'api_key = "none"',
          '[models.scripted]',
          'provider = "bench"',
          'model = "scripted"',
          'max_context_size = 10000000',
        ].join('\n'),
      )
      return {
        command: process.execPath,
        args: [script, '-p', PROMPT],
        env: { PATH: PATH_OF_USER, HOME: home, KIMI_CODE_HOME: home },
        cwd: project,
      }
    },
    call: (action) =>
      'read' in action
        ? { name: 'Read', input: { path: action.read } }
        : 'run' in action
          ? { name: 'Bash', input: { command: action.run } }
          : { name: 'Grep', input: { pattern: action.find, output_mode: 'content' } },
  }
}
