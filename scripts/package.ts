/**
 * Builds the packages of the desktop app for this system: `npm run package -- [--dir] [--stand-in] [--test-build]
 * [electron-builder options]`. `--dir` stops at the unpacked folder. `--stand-in` uses a folder that only looks like
 * Electron, and downloads nothing. `--test-build` leaves the fuse on that lets Playwright drive the app. The packages
 * are checked, and their sizes and files are listed in dist/. With TRESTLE_UPDATE_URL (the folder of the feed) and
 * TRESTLE_UPDATE_KEYS (a file with the publisher's public keys), the app can update itself; sign the feed with
 * scripts/sign-feed.ts.
 */
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { checkPackage } from './check-package.ts'
import { findPackages } from './package/find-package.ts'
import { fileList, readPackageTree, sizes } from './package/package-tree.ts'
import { makeStandInElectron } from './package/stand-in-electron.ts'

const ROOT = join(import.meta.dirname, '..')
const TEST_FUSE = 'enableNodeCliInspectArguments'
const OWN = new Set(['--stand-in', '--test-build'])

async function main(args: readonly string[]): Promise<number> {
  run([join('scripts', 'build.ts')])
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  const isTest = args.includes('--test-build')
  const options = args.filter((arg) => !OWN.has(arg))
  const output = resolve(ROOT, options.find((arg) => arg.startsWith('-c.directories.output='))?.split('=')[1] ?? 'dist')
  const scratch = mkdtempSync(join(tmpdir(), 'trestle-package-'))
  try {
    const more: string[] = []
    const env = { ...process.env }
    if (args.includes('--stand-in')) {
      const electron = join(scratch, 'electron')
      makeStandInElectron(electron, manifest.devDependencies['electron'] ?? '')
      more.push(`-c.electronDist=${electron}`)
      // Replaces a program that electron-builder would download to build a .deb.
      env['CUSTOM_FPM_PATH'] = join(import.meta.dirname, 'package', 'build-deb.ts')
      env['PATH'] = [dirname(process.execPath), env['PATH']].join(delimiter)
    }
    const url = env['TRESTLE_UPDATE_URL']
    const keys = env['TRESTLE_UPDATE_KEYS']
    // electron-builder.yml includes this if it exists.
    const update = join(ROOT, 'out', 'update')
    rmSync(update, { recursive: true, force: true })
    if (url !== undefined && keys !== undefined) {
      more.push('-c.publish.provider=generic', `-c.publish.url=${url}`)
      mkdirSync(update)
      copyFileSync(keys, join(update, 'update-keys.pem'))
    }
    if (isTest) more.push(`-c.electronFuses.${TEST_FUSE}=true`)
    run([join('node_modules', 'electron-builder', 'cli.js'), '--publish', 'never', ...options, ...more], env)
    return await report(output, isTest ? { [TEST_FUSE]: true } : {})
  } finally {
    rmSync(scratch, { recursive: true })
  }
}

async function report(output: string, fuses: Record<string, boolean>): Promise<number> {
  let failures = 0
  for (const folder of findPackages(output)) {
    const tree = readPackageTree(folder)
    const files = join(output, `files-${tree.platform}-${tree.arch}.txt`)
    writeFileSync(files, fileList(tree))
    process.stdout.write(`\n${folder}\n`)
    for (const [part, bytes] of sizes(tree).slice(0, 12)) process.stdout.write(`  ${megabytes(bytes)}  ${part}\n`)
    for (const [name, problems] of await checkPackage(folder, { fuses })) {
      for (const problem of problems) process.stdout.write(`  FAIL ${name}: ${problem}\n`)
      failures += problems.length
    }
  }
  for (const name of readdirSync(output)) {
    if (/\.(?:dmg|zip|exe|AppImage|deb)$/.test(name))
      process.stdout.write(`${megabytes(statSync(join(output, name)).size)}  ${name}\n`)
  }
  process.stdout.write(failures === 0 ? 'The package passes all checks.\n' : `The package has ${failures} problems.\n`)
  return failures === 0 ? 0 : 1
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1).padStart(7)} MB`
}

function run(args: string[], env: NodeJS.ProcessEnv = process.env): void {
  const { status } = spawnSync(process.execPath, args, { cwd: ROOT, env, stdio: 'inherit' })
  if (status !== 0) throw new Error(`${args[0]} failed.`)
}

process.exitCode = await main(process.argv.slice(2))
