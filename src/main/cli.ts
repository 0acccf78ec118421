#!/usr/bin/env node
if (Number(process.versions.node.split('.')[0]) < 22) {
  process.stderr.write(
    `Trestle needs Node 22 or newer; this is ${process.versions.node}. ` +
      'In the repository, `npm run -s trestle -- ...` brings its own.\n',
  )
  process.exit(2)
}
// Everything else is imported after the check, so that an old Node gets the sentence above and not a syntax error; and
// most of it once it is known where its compiled form is.
void import('./engine/runtime/code-cache')
  .then(({ enableCodeCache, codeUseOf }) => {
    enableCodeCache(codeUseOf(process.argv[2]))
    return import('./command-line/main')
  })
  .then(({ main }) => main(process.argv.slice(2)))
