#!/usr/bin/env node
/**
 * Builds a .deb with Debian's own `dpkg-deb`, from the options that electron-builder passes to fpm: for machines that
 * cannot download fpm. Supports only the options that electron-builder uses.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'

const text = { type: 'string' } as const
const list = { type: 'string', multiple: true } as const

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    s: { ...text, short: 's' },
    t: { ...text, short: 't' },
    d: { ...list, short: 'd' },
    force: { type: 'boolean' },
    debug: { type: 'boolean' },
    log: text,
    'deb-recommends': list,
    'deb-compression': text,
    'deb-priority': text,
    architecture: text,
    'after-install': text,
    'after-remove': text,
    description: text,
    version: text,
    package: text,
    name: text,
    maintainer: text,
    vendor: text,
    url: text,
    category: text,
    license: text,
  },
})

const file = values.package
if (file === undefined || values.t !== 'deb') throw new Error('Only a .deb can be made, with --package.')
const root = mkdtempSync(join(tmpdir(), 'trestle-deb-'))
chmodSync(root, 0o755)
try {
  for (const each of positionals) {
    const [from = '', to = ''] = each.split('=')
    const target = join(root, to)
    mkdirSync(dirname(target), { recursive: true })
    cpSync(from, target, { recursive: true, verbatimSymlinks: true })
  }
  mkdirSync(join(root, 'DEBIAN'))
  script('postinst', values['after-install'])
  script('postrm', values['after-remove'])
  writeFileSync(join(root, 'DEBIAN', 'control'), control())
  const made = spawnSync('dpkg-deb', ['--root-owner-group', `-Z${compression()}`, '--build', root, file], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  process.exitCode = made.status ?? 1
} finally {
  rmSync(root, { recursive: true })
}

function compression(): string {
  const asked = values['deb-compression'] ?? 'xz'
  return asked === 'gz' ? 'gzip' : asked
}

function control(): string {
  const [summary = '', ...rest] = (values.description ?? '').trim().split('\n')
  const fields: [name: string, value: string | undefined][] = [
    ['Package', values.name],
    ['Version', values.version],
    ['Architecture', values.architecture === 'x86_64' ? 'amd64' : values.architecture],
    ['Maintainer', values.maintainer],
    ['Installed-Size', String(Math.ceil(bytesBelow(root) / 1024))],
    ['Depends', values.d?.join(', ')],
    ['Recommends', values['deb-recommends']?.join(', ')],
    ['Section', values.category ?? 'default'],
    ['Priority', values['deb-priority']],
    ['Homepage', values.url],
    ['Description', [summary, ...rest.map((line) => ` ${line.trim() || '.'}`)].join('\n')],
  ]
  return fields.flatMap(([name, value]) => (value ? [`${name}: ${value}\n`] : [])).join('')
}

function script(name: string, source: string | undefined): void {
  if (source === undefined) return
  writeFileSync(join(root, 'DEBIAN', name), readFileSync(source))
  chmodSync(join(root, 'DEBIAN', name), 0o755)
}

function bytesBelow(folder: string): number {
  const { stdout } = spawnSync('du', ['-sb', folder], { encoding: 'utf8' })
  return Number.parseInt(stdout, 10) || statSync(folder).size
}
