/** A temporary home and project, like a user's but always the same. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { WireFormat } from './response-lines.ts'

export interface Scratch {
  folder: string
  home: string
  project: string
  remove(): void
}

export const SOURCE_FILES = 60

/** 60 source files of 2 kB, every tenth of which has one line that Grep finds. */
export function makeScratch(): Scratch {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'trestle-bench-'))
  const [home, project] = [join(folder, 'home'), join(folder, 'project')]
  mkdirSync(home)
  for (let index = 0; index < SOURCE_FILES; index++) put(join(project, sourceFile(index)), sourceText(index))
  put(join(project, '.gitignore'), 'node_modules/\ndist/\n*.log\n')
  put(join(project, 'README.md'), '# A project\n')
  return { folder, home, project, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

export function sourceFile(index: number): string {
  return `src/part-${index % 6}/module-${index}.ts`
}

function sourceText(index: number): string {
  const lines = Array.from(
    { length: 40 },
    (_, line) => `export const value${line} = compute(${index}, ${line}) // as usual`,
  )
  if (index % 10 === 0) lines[20] = `export const needle = 'find me ${index}'`
  return `${lines.join('\n')}\n`
}

const PROVIDER_TYPES: Readonly<Record<WireFormat, string>> = {
  chat: 'openai-compatible',
  responses: 'openai-responses',
  anthropic: 'anthropic',
  google: 'google',
}

/** A configuration with one model on a local server, followed by the contents of `more.toml` in the home. */
export function configure(home: string, baseUrl: string, wire: WireFormat = 'chat'): void {
  const more = join(home, 'more.toml')
  put(
    join(home, 'config.toml'),
    [
      'default_model = "bench/scripted"',
      '[providers.bench]',
      `type = "${PROVIDER_TYPES[wire]}"`,
      `base_url = "${baseUrl}"`,
      'api_key = "none"',
      '[models."bench/scripted"]',
      'provider = "bench"',
      'model = "scripted"',
      'context_window = 10000000',
      'capabilities = ["tools", "image_in", "thinking"]',
      '[loop]',
      'max_steps = 10_000',
      existsSync(more) ? readFileSync(more, 'utf8') : '',
    ].join('\n'),
  )
}

export function put(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}
