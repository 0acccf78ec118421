/**
 * `npm start`: builds what is stale and opens the app (see src/main/desktop/run-electron.ts for what happens without a
 * display).
 */
if (!process.features.typescript) {
  process.stderr.write(
    'Trestle is not installed completely: run `npm install` (it brings its own Node) and look at its messages.\n',
  )
  process.exit(1)
}
await import('./build.ts')
process.argv.splice(2, 0, 'desktop')
await import('../out/main/cli.js')
