#!/usr/bin/env node
// What better-sqlite3 is built for: with less, the process would crash when the store is opened. A Node that has this
// version also has everything else that is used here.
const NODE_API = 10
if (Number(process.versions.napi) < NODE_API) {
  process.stderr.write(
    `Trestle needs Node 22.14 or newer; this is ${process.versions.node}. ` +
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
