import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A third-party package and its license terms. */
export interface PackageLicense {
  name: string
  version: string
  /** As in package.json. */
  license: string
  homepage: string | undefined
  /** The license and notice files of the package, joined. */
  text: string
}

interface Manifest {
  name: string
  version: string
  license?: string | { type: string }
  author?: string | { name?: string }
  homepage?: string
  repository?: string | { url?: string }
}

const TEXTS = join(import.meta.dirname, 'texts')
const LICENSE_FILE = /^(?:un)?(?:licen[sc]e|copying|notice|patents)/i
/** Packages that state their license elsewhere. */
const STATED_ELSEWHERE: Record<string, string> = { khroma: 'MIT' }

/** The standard texts for packages that name a license without including it. */
const STANDARD: Record<string, readonly string[]> = {
  MIT: [join(TEXTS, 'MIT.txt')],
  ISC: [join(TEXTS, 'ISC.txt')],
  'Apache-2.0': [join(import.meta.dirname, '..', '..', 'LICENSE')],
  'LGPL-3.0-or-later': [join(TEXTS, 'LGPL-3.0.txt'), join(TEXTS, 'GPL-3.0.txt')],
}

/**
 * Reads the license of a package folder. Throws if there is no text to ship, so that nothing is shipped without its
 * terms.
 */
export function packageLicense(folder: string): PackageLicense {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  const { name, version } = manifest
  const license =
    (typeof manifest.license === 'string' ? manifest.license : manifest.license?.type) ?? STATED_ELSEWHERE[name]
  if (license === undefined)
    throw new Error(
      `${name} ${version} names no license: look it up and add it to scripts/licenses/package-license.ts.`,
    )
  const names = readdirSync(folder)
    .filter((file) => LICENSE_FILE.test(file) && !/\.[cm]?[jt]s$/.test(file))
    .toSorted()
  const files = names.length > 0 ? names.map((file) => join(folder, file)) : undefined
  const standard = STANDARD[license]
  if (files === undefined && standard === undefined) {
    throw new Error(`${name} ${version} (${license}) includes no license text: add the text to scripts/licenses/texts.`)
  }
  const texts = (files ?? standard ?? [])
    .filter((file) => existsSync(file))
    .map((file) => tidy(readFileSync(file, 'utf8')))
  if (files === undefined) texts.unshift(`Copyright (c) ${holder(manifest)}`)
  return { name, version, license, homepage: manifest.homepage ?? repositoryUrl(manifest), text: texts.join('\n\n') }
}

function holder({ author, name }: Manifest): string {
  const named = typeof author === 'string' ? author : author?.name
  return named === undefined || named === '' ? `the authors of ${name}` : named
}

function repositoryUrl({ repository }: Manifest): string | undefined {
  const url = typeof repository === 'string' ? repository : repository?.url
  return url?.replace(/^git\+/, '').replace(/\.git$/, '')
}

/** Normalizes line endings and trailing spaces, so that the same text is the same string for every package. */
function tidy(text: string): string {
  return text
    .replace(/^\uFEFF/, '')
    .replace(/[^\S\n]+$/gm, '')
    .trim()
}
