import { CodedError } from '../../../../shared/errors'
import type { InstalledBundle, PlaceFacts } from '../../../../shared/model/place/place'
import { plainLine } from '../remote/plain-text'

/** The folder of everything we copy, in shell syntax. */
export const SERVER_FOLDER = '"$HOME/.trestle-server"'

/** Prints facts about a machine as `name=value` lines, using only tools that every system has. */
export const PROBE_SCRIPT = `
echo probe=1
echo "system=$(uname -s)"
echo "arch=$(uname -m)"
echo "user=$(id -un 2>/dev/null)"
echo "host=$(uname -n)"
if ls /lib/ld-musl-* >/dev/null 2>&1; then echo libc=musl; else echo "libc=$(getconf GNU_LIBC_VERSION 2>/dev/null)"; fi
set -- $(df -Pk "$HOME" 2>/dev/null | tail -n 1)
echo "diskKb=$4"
set -- $(grep MemAvailable /proc/meminfo 2>/dev/null)
echo "memoryKb=$2"
echo "cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null)"
read -r load rest < /proc/loadavg 2>/dev/null && echo "load=$load"
for dir in ${SERVER_FOLDER}/*/; do
  [ -f "$dir/.complete" ] || continue
  name=\${dir%/}
  set -- $(du -sk "$dir" 2>/dev/null)
  echo "installed=\${name##*/} $1 $(cat "$dir/.complete")"
done
echo end=1
`

/** Parses the output of the probe. `current`: the hashes of this version. */
export function parseProbe(stdout: string, current: readonly string[] = []): PlaceFacts {
  const values = new Map<string, string[]>()
  for (const line of stdout.split('\n')) {
    const at = line.indexOf('=')
    if (at <= 0) continue
    const name = line.slice(0, at)
    values.set(name, [...(values.get(name) ?? []), plainLine(line.slice(at + 1), 200)])
  }
  if (!values.has('probe') || !values.has('end'))
    throw new CodedError(
      'place.unsupported',
      'It has no POSIX shell that runs a script. Places need sh, as on Linux and macOS.',
    )
  const text = (name: string): string => values.get(name)?.[0] ?? ''
  const number = (name: string, factor = 1): Record<string, number> => {
    const value = Number(text(name))
    return text(name) !== '' && Number.isFinite(value) && value >= 0 ? { n: value * factor } : {}
  }
  const field = (key: string, name: string, factor?: number): Record<string, number> => {
    const { n } = number(name, factor)
    return n === undefined ? {} : { [key]: n }
  }
  return {
    system: text('system'),
    arch: text('arch'),
    libc: text('libc'),
    user: text('user'),
    host: text('host'),
    ...field('diskFreeBytes', 'diskKb', 1024),
    ...field('memoryFreeBytes', 'memoryKb', 1024),
    ...field('cores', 'cores'),
    ...field('load', 'load'),
    installed: (values.get('installed') ?? []).slice(0, 100).flatMap((line) => installedOf(line, current)),
  }
}

function installedOf(line: string, current: readonly string[]): InstalledBundle[] {
  const match = /^((?:app|node)-[0-9a-f]{16}) (\d+) (.*)$/.exec(line)
  if (!match) return []
  const [, hash = '', kb = '0', version = ''] = match
  return [{ hash, version, bytes: Number(kb) * 1024, isCurrent: current.includes(hash) }]
}

const SYSTEMS: Record<string, NodeJS.Platform> = { Linux: 'linux', Darwin: 'darwin' }
const ARCHS: Record<string, string> = { x86_64: 'x64', amd64: 'x64', aarch64: 'arm64', arm64: 'arm64' }
/** The oldest glibc that our copy of Node runs on. */
const MIN_GLIBC = [2, 28] as const

/** Throws `place.unsupported` with the reason if what we copy from this machine would not run there. */
export function checkRunsThere(
  { system, arch, libc }: PlaceFacts,
  own: { platform: NodeJS.Platform; arch: string; isMusl: boolean } = ownSystem(),
): void {
  const platform = SYSTEMS[system]
  const cpu = ARCHS[arch]
  const there = `${system || 'an unknown system'} on ${arch || 'an unknown processor'}`
  if (platform === undefined || cpu === undefined)
    return refuse(`It runs ${there}; Trestle runs on Linux and macOS, on x86-64 and ARM64.`)
  if (platform !== own.platform || cpu !== own.arch)
    return refuse(
      `It runs ${there}, and this machine ${own.platform} on ${own.arch}. ` +
        'Trestle copies itself only to machines of the same kind.',
    )
  if (platform !== 'linux') return undefined
  const isMusl = libc === 'musl'
  if (isMusl !== own.isMusl)
    return refuse(
      isMusl
        ? 'Its C library is musl (Alpine and others), and the programs of this machine need glibc.'
        : 'Its C library is glibc, and the programs of this machine need musl.',
    )
  const version = /(\d+)\.(\d+)/.exec(libc)
  if (isMusl || !version) return undefined
  const [major, minor] = [Number(version[1]), Number(version[2])]
  if (major < MIN_GLIBC[0] || (major === MIN_GLIBC[0] && minor < MIN_GLIBC[1]))
    return refuse(
      `Its C library is ${libc}, ` +
        `and Trestle needs glibc ${MIN_GLIBC.join('.')} or newer (Debian 10, Ubuntu 20.04, RHEL 8).`,
    )
  return undefined
}

function refuse(message: string): never {
  throw new CodedError('place.unsupported', message)
}

function ownSystem(): { platform: NodeJS.Platform; arch: string; isMusl: boolean } {
  const report = process.platform === 'linux' ? (process.report?.getReport() as { header?: object } | undefined) : {}
  const { platform, arch } = process
  return { platform, arch, isMusl: platform === 'linux' && !('glibcVersionRuntime' in (report?.header ?? {})) }
}
