import { enableCompileCache } from 'node:module'
import { runTaskHost } from './engine/task/host/run-task-host'

enableCompileCache()
await runTaskHost(process.argv.slice(2))
