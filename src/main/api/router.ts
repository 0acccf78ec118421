import type { ApiDeps } from './api-deps'
import { implementer } from './api-deps'
import { agentHandlers } from './agent'
import { appHandlers } from './app'
import { approvalHandlers } from './approval'
import { checkpointHandlers } from './checkpoint'
import { desktopHandlers } from './desktop'
import { fileHandlers } from './file'
import { folderHandlers } from './folder'
import { hookHandlers } from './hook'
import { mcpHandlers } from './mcp'
import { mcpContentHandlers } from './mcp-content'
import { planHandlers } from './plan'
import { pushHandlers } from './push'
import { sessionHandlers } from './session'
import { settingsHandlers } from './settings'
import { skillHandlers } from './skill'
import { taskHandlers } from './task'
import { trustHandlers } from './trust'

/** Every method of the contract on one engine and one host. A method without a handler does not compile. */
export function createRouter(deps: ApiDeps) {
  const os = implementer(deps.logBug)
  return os.router({
    agent: agentHandlers(os, deps),
    app: appHandlers(os, deps),
    session: sessionHandlers(os, deps),
    approval: approvalHandlers(os, deps),
    checkpoint: checkpointHandlers(os, deps),
    settings: settingsHandlers(os, deps),
    desktop: desktopHandlers(os, deps),
    file: fileHandlers(os, deps),
    folder: folderHandlers(os, deps),
    mcp: mcpHandlers(os, deps),
    skill: skillHandlers(os, deps),
    hook: hookHandlers(os, deps),
    mcpContent: mcpContentHandlers(os, deps),
    plan: planHandlers(os, deps),
    task: taskHandlers(os, deps),
    trust: trustHandlers(os, deps),
    push: pushHandlers(os, deps),
  })
}

export type ApiRouter = ReturnType<typeof createRouter>
