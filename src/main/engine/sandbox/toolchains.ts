import { accessSync, constants, existsSync, mkdirSync, realpathSync } from 'node:fs'
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path'
import { readSmall } from '../workspace/file/open-file'
import { isWithin } from '../workspace/path/real-path'

/** Where toolchains are in a home: read-only for commands, if they exist. */
const TOOLCHAINS = [
  '.nvm',
  '.fnm',
  '.volta',
  '.asdf',
  '.pyenv',
  '.rbenv',
  '.rustup',
  '.cargo/bin',
  '.cargo/env',
  '.sdkman',
  '.deno',
  '.bun',
  '.dotnet',
  '.ghcup',
  '.jdks',
  '.conda',
  'miniconda3',
  'anaconda3',
  'miniforge3',
  'go',
  '.gradle',
  '.m2',
  '.npm',
  '.cache',
  '.local/bin',
  '.local/lib',
  '.local/share/pnpm',
  '.local/share/mise',
  '.local/share/uv',
  '.local/share/pipx',
  '.local/share/fnm',
  '.local/share/virtualenv',
  '.config/mise',
  '.config/pnpm',
  '.config/go',
  '.config/git/ignore',
  '.config/git/attributes',
  '.gitignore',
  '.gitignore_global',
  '.nix-profile',
  '.tool-versions',
  '.editorconfig',
]

/**
 * Settings of tools that may contain credentials: commands get a copy without the lines that look like one.
 */
export const FILTERED_FILES: readonly string[] = [
  '.gitconfig',
  '.config/git/config',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.pip/pip.conf',
  '.config/pip/pip.conf',
  '.config/uv/uv.toml',
  '.cargo/config',
  '.cargo/config.toml',
  '.bunfig.toml',
]

const LOOKS_SECRET =
  /auth(?!or)|token|secret|passw|credential|helper|extraheader|apikey|api[-_]key|username|:\/\/[^/\s"'@]+@/i
const MAX_FILTERED_BYTES = 256 * 1024

/** Caches and the programs that use them: created if the program is on PATH, so that a first build works as outside. */
const MADE_FOR: Readonly<Record<string, string>> = {
  '.npm': 'npm',
  '.cache': 'sh',
  '.local/share/pnpm/store': 'pnpm',
  '.cargo/registry': 'cargo',
  '.cargo/git': 'cargo',
  'go/pkg': 'go',
  '.gradle/caches': 'gradle',
  '.m2/repository': 'mvn',
}

/** Paths of existing toolchains: those in the home, and the folders on PATH that are elsewhere. */
export function toolchainPaths(userHome: string, path: string | undefined): string[] {
  const found = TOOLCHAINS.map((name) => join(userHome, name)).filter((each) => existsSync(each))
  for (const entry of (path ?? '').split(delimiter)) {
    if (!isAbsolute(entry) || entry === '/' || isWithin(userHome, entry)) continue
    // A toolchain's programs need what is next to their folder.
    const above = dirname(entry)
    const whole =
      /^(?:bin|sbin|shims)$/.test(basename(entry)) && !isWithin(userHome, above) && above !== join(userHome, '.local')
    // The folder above another user's programs is that user's home.
    const isHome =
      above === '/root' ||
      basename(above) === '.local' ||
      dirname(above) === dirname(userHome) ||
      dirname(above) === '/home'
    const wanted = whole && !isHome && above !== '/' && above !== '/usr' ? above : entry
    if (existsSync(wanted)) found.push(wanted)
  }
  return found
}

/**
 * Creates missing caches of programs on PATH. A home that is not writable is left unchanged.
 */
export function makeCaches(userHome: string, wanted: readonly string[], path: string | undefined): void {
  for (const [name, program] of Object.entries(MADE_FOR)) {
    const folder = join(userHome, name)
    if (!wanted.includes(folder) || existsSync(folder) || !isOnPath(program, path)) continue
    try {
      mkdirSync(folder, { recursive: true })
    } catch {
      // Commands work without it, as they would with a read-only home.
    }
  }
}

function isOnPath(program: string, path: string | undefined): boolean {
  return (path ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return isAbsolute(folder)
    } catch {
      return false
    }
  })
}

/**
 * The text of a settings file without the lines that look like credentials; undefined when there is no such regular
 * file.
 */
export function filteredSettings(file: string, userHome: string): string | undefined {
  try {
    const real = realpathSync(file)
    if (!isWithin(real, userHome)) return undefined
    return readSmall(real, MAX_FILTERED_BYTES)
      ?.toString('utf8')
      .split('\n')
      .filter((line) => !LOOKS_SECRET.test(line))
      .join('\n')
  } catch {
    return undefined
  }
}
