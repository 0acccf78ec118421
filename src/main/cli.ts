#!/usr/bin/env node
// The Node-API version that better-sqlite3 is built for; with an older one the process would crash when the store is
// opened. A Node with this version also has everything else that is used here.
const NODE_API = 10
if (Number(process.versions.napi) < NODE_API) {
  process.stderr.write(
    `Trestle needs Node 22.14 or newer; this is ${process.versions.node}. ` +
      'In the repository, `npm run -s trestle -- ...` brings its own.\n',
  )
  process.exit(2)
}
// Everything else is imported after the check, so that an old Node prints the message above and not a syntax error.
// Most of it is imported only after the code cache is enabled.
void import('./engine/runtime/code-cache')
  .then(({ enableCodeCache, codeUseOf }) => {
    enableCodeCache(codeUseOf(process.argv[2]))
    return import('./command-line/main')
  })
  .then(({ main }) => main(process.argv.slice(2)))
