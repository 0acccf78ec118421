import type { LanguageRegistration } from 'shiki/core'

/** Names after a code fence and file extensions that differ from the names and aliases of a grammar. */
const ALIASES: Readonly<Record<string, string>> = {
  bazel: 'python',
  bzl: 'python',
  cc: 'cpp',
  cfg: 'ini',
  conf: 'ini',
  console: 'shellsession',
  containerfile: 'docker',
  cxx: 'cpp',
  el: 'emacs-lisp',
  env: 'dotenv',
  ex: 'elixir',
  exs: 'elixir',
  fsx: 'fsharp',
  gemfile: 'ruby',
  gemspec: 'ruby',
  golang: 'go',
  gradle: 'groovy',
  h: 'c',
  hh: 'cpp',
  hpp: 'cpp',
  hrl: 'erlang',
  htm: 'html',
  hxx: 'cpp',
  jenkinsfile: 'groovy',
  lhs: 'haskell',
  lock: 'yaml',
  m: 'objective-c',
  ml: 'ocaml',
  mli: 'ocaml',
  mm: 'objective-cpp',
  ndjson: 'jsonl',
  patch: 'diff',
  pl: 'perl',
  plist: 'xml',
  pm: 'perl',
  pyi: 'python',
  rake: 'ruby',
  rakefile: 'ruby',
  rkt: 'racket',
  sc: 'scala',
  scm: 'scheme',
  sol: 'solidity',
  svg: 'xml',
  terminal: 'shellsession',
  xhtml: 'html',
}

/** Languages without a grammar. */
const PLAIN: ReadonlySet<string> = new Set(['', 'text', 'txt', 'plain', 'plaintext', 'output', 'log', 'none'])

/** The grammar for the name after a code fence; undefined when the code is shown plain. */
export function languageNamed(name: string): string | undefined {
  const lower = name.toLowerCase()
  return PLAIN.has(lower) ? undefined : Object.hasOwn(ALIASES, lower) ? ALIASES[lower] : lower
}

/** The grammar for a file path, by its extension or its whole name (`Dockerfile`). */
export function languageOfPath(path: string): string | undefined {
  const name = path.split(/[\\/]/).at(-1)?.toLowerCase() ?? ''
  if (/^\.env(?:\.|$)/.test(name)) return 'dotenv'
  const ending = name.lastIndexOf('.')
  return languageNamed(ending > 0 ? name.slice(ending + 1) : name.replace(/^\./, ''))
}

/**
 * A grammar with its dependencies, the requested one last; undefined for an unknown name. Each is a separate file,
 * loaded when first needed.
 */
export async function loadLanguage(name: string): Promise<LanguageRegistration[] | undefined> {
  const { bundledLanguages } = await import('shiki/langs')
  const loaders: Readonly<Record<string, () => Promise<{ default: LanguageRegistration[] }>>> = bundledLanguages
  return Object.hasOwn(loaders, name) ? (await loaders[name]?.())?.default : undefined
}
