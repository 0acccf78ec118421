/**
 * Writes the license terms of everything that is shipped: `node scripts/licenses/third-party-licenses.ts`. The list is
 * generated from the contents of the bundles (out/packages, written by the build), the packages shipped beside them,
 * and the Node that runs the commands. The same input gives the same bytes.
 */
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageLicense, type PackageLicense } from './package-license.ts'

const ROOT = join(import.meta.dirname, '..', '..')
/** One copy is served with the page, which shows it; the other is a file in the package. */
export const LICENSE_FOLDERS = [join(ROOT, 'out', 'renderer', 'licenses'), join(ROOT, 'out', 'licenses')]
/** Only needed to compile a native package: never shipped (electron-builder.yml). */
const BUILD_TIME = new Set(['node-addon-api', 'node-gyp-build', '@napi-rs/canvas'])

interface Manifest {
  version: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}

/**
 * The folders of the packages that are shipped beside the bundles, with those of their dependencies that are installed
 * for this system.
 */
export function shippedPackages(root = ROOT): string[] {
  const found = new Set<string>()
  const visit = (from: string): void => {
    const { dependencies, optionalDependencies } = manifestOf(from)
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const folder = BUILD_TIME.has(name) ? undefined : resolvePackage(name, from, root)
      if (folder === undefined || found.has(folder)) continue
      found.add(folder)
      visit(folder)
    }
  }
  visit(root)
  return [...found]
}

function resolvePackage(name: string, from: string, root: string): string | undefined {
  const candidates = [...new Set([from, root])].map((base) => join(base, 'node_modules', name))
  return candidates.find((folder) => existsSync(join(folder, 'package.json')))
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

/** The folders of the packages whose code is part of a bundle, as recorded by the build. */
export function bundledFolders(): string[] {
  const lists = ['main', 'preload', 'renderer', 'page-worker'].map((bundle) =>
    readFileSync(join(ROOT, 'out', 'packages', `${bundle}.json`), 'utf8'),
  )
  return lists.flatMap((list) => JSON.parse(list) as string[]).map((folder) => join(ROOT, folder))
}

/**
 * Packages that the style sheets import: Tailwind inlines them before the bundler sees a module, so the build does not
 * record them.
 */
function importedByStyles(): string[] {
  const styles = globSync('src/renderer/**/*.css', { cwd: ROOT }).map((file) => readFileSync(join(ROOT, file), 'utf8'))
  const names = styles.flatMap((style) =>
    [...style.matchAll(/@import\s+['"]((?:@[\w-]+\/)?[a-z][\w.-]*)/g)].map(([, name]) => name!),
  )
  return [...new Set(names)].map((name) => join(ROOT, 'node_modules', name)).filter((folder) => existsSync(folder))
}

/** The whole list as text: one section for each distinct license text, with the packages it applies to. */
export function thirdPartyLicenses(): string {
  const folders = new Set([...bundledFolders(), ...shippedPackages(), ...importedByStyles()])
  const packages = new Map<string, PackageLicense>()
  for (const folder of folders) {
    const entry = packageLicense(folder)
    packages.set(`${entry.name}@${entry.version}`, entry)
  }
  const node = nodeLicense()
  packages.set(`Node.js@${node.version}`, node)
  const sections = new Map<string, PackageLicense[]>()
  for (const [, entry] of [...packages].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    sections.set(entry.text, [...(sections.get(entry.text) ?? []), entry])
  }
  const head = [
    'Third-party software in Trestle',
    '',
    'Trestle includes the packages below. ' +
      'The licenses of Electron and Chromium are in LICENSE.electron.txt and LICENSES.chromium.html of the',
    'installed desktop app.',
  ].join('\n')
  return [head, ...[...sections].map(([text, entries]) => section(text, entries))]
    .join(`\n\n${'-'.repeat(80)}\n\n`)
    .concat('\n')
}

function section(text: string, entries: readonly PackageLicense[]): string {
  const names = entries.map(
    ({ name, version, license, homepage }) =>
      `${name} ${version} (${license})${homepage === undefined ? '' : ` ${homepage}`}`,
  )
  return `${names.join('\n')}\n\n${text}`
}

/** The license of the shipped Node: its text is stored here because the npm package omits it. */
function nodeLicense(): PackageLicense {
  const version = manifestOf(ROOT).devDependencies?.['node'] ?? ''
  const file = join(import.meta.dirname, 'texts', `node-${version}.txt`)
  if (!existsSync(file)) {
    throw new Error(
      `The license of Node ${version} is missing: ` +
        `save the LICENSE of that release as scripts/licenses/texts/node-${version}.txt.`,
    )
  }
  return {
    name: 'Node.js',
    version,
    license: 'MIT and others',
    homepage: 'https://nodejs.org',
    text: readFileSync(file, 'utf8').trim(),
  }
}

if (import.meta.main) {
  const list = thirdPartyLicenses()
  for (const folder of LICENSE_FOLDERS) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'third-party-licenses.txt'), list)
    for (const name of ['LICENSE', 'NOTICE']) copyFileSync(join(ROOT, name), join(folder, `${name}.txt`))
  }
}
