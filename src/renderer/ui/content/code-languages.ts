import type { LanguageRegistration } from 'shiki/core'

/** Names behind a fence and endings of files that are not names or usual short forms of a grammar. */
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

/** What has no grammar. */
const PLAIN: ReadonlySet<string> = new Set(['', 'text', 'txt', 'plain', 'plaintext', 'output', 'log', 'none'])

/** The name to load a grammar by, for what stands behind a fence; undefined when it is shown plain. */
export function languageNamed(name: string): string | undefined {
  const lower = name.toLowerCase()
  return PLAIN.has(lower) ? undefined : Object.hasOwn(ALIASES, lower) ? ALIASES[lower] : lower
}

/** The same for the path of a file, by its ending or its whole name (`Dockerfile`). */
export function languageOfPath(path: string): string | undefined {
  const name = path.split(/[\\/]/).at(-1)?.toLowerCase() ?? ''
  if (/^\.env(?:\.|$)/.test(name)) return 'dotenv'
  const ending = name.lastIndexOf('.')
  return languageNamed(ending > 0 ? name.slice(ending + 1) : name.replace(/^\./, ''))
}

/** A grammar with those it needs, the asked one last; undefined when there is none of this name. Each is a file of its own, read when first met. */
export async function loadLanguage(name: string): Promise<LanguageRegistration[] | undefined> {
  const { bundledLanguages } = await import('shiki/langs')
  const loaders: Readonly<Record<string, () => Promise<{ default: LanguageRegistration[] }>>> = bundledLanguages
  return Object.hasOwn(loaders, name) ? (await loaders[name]?.())?.default : undefined
}
