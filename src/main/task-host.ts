import { enableCompileCache } from 'node:module'
import { holdRuntime } from './engine/runtime/runtime-users'
import { runTaskHost } from './engine/task/host/run-task-host'

enableCompileCache()
holdRuntime(import.meta.filename)
await runTaskHost(process.argv.slice(2))
