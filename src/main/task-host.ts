import { enableCodeCache } from './engine/runtime/code-cache'

enableCodeCache('command')
// Imported on demand: with a static import, the bundler would put this file into a chunk that engines load too, and
// they would then become task hosts.
void Promise.all([import('./engine/runtime/runtimes-in-use'), import('./engine/task/host/run-task-host')]).then(
  ([{ markRuntimeInUse }, { runTaskHost }]) => {
    markRuntimeInUse(import.meta.filename)
    return runTaskHost(process.argv.slice(2))
  },
)
