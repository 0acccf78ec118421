import { enableCodeCache } from './engine/runtime/code-cache'

enableCodeCache('lazy')
// Imported on demand: a static import would let the bundler put this file into a chunk that engines load too, and they
// would then become task hosts.
const [{ markRuntimeInUse }, { runTaskHost }] = await Promise.all([
  import('./engine/runtime/runtimes-in-use'),
  import('./engine/task/host/run-task-host'),
])
markRuntimeInUse(import.meta.filename)
await runTaskHost(process.argv.slice(2))
