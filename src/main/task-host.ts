import { enableCompileCache } from 'node:module'
import { markRuntimeInUse } from './engine/runtime/runtimes-in-use'
import { runTaskHost } from './engine/task/host/run-task-host'

enableCompileCache()
markRuntimeInUse(import.meta.filename)
await runTaskHost(process.argv.slice(2))
