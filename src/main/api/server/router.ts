import { createRouterClient } from '@orpc/server'
import { type ApiDeps, implementer } from '../implementer'
import { agentHandlers, fileHandlers, hookHandlers, skillHandlers, trustHandlers } from '../handlers/project-handlers'
import {
  appHandlers,
  desktopHandlers,
  settingsHandlers,
  usageHandlers,
  engineHandlers,
  historyHandlers,
  moveHandlers,
  pairingHandlers,
} from '../handlers/app-handlers'
import { customizeHandlers, ruleHandlers, pluginHandlers } from '../handlers/customize-handlers'
import {
  approvalHandlers,
  checkpointHandlers,
  planHandlers,
  sessionHandlers,
  taskHandlers,
  conversationHandlers,
  terminalHandlers,
} from '../handlers/session-handlers'
import { editorHandlers } from '../handlers/editor-handlers'
import { folderHandlers } from '../handlers/folder-handlers'
import { mcpHandlers, mcpContentHandlers } from '../handlers/mcp-handlers'
import {
  alarmHandlers,
  notificationHandlers,
  memoryHandlers,
  scheduleHandlers,
  mailHandlers,
} from '../handlers/assistant-handlers'
import { gitHandlers, reviewHandlers, worktreeHandlers } from '../handlers/git-handlers'
import { placeHandlers } from '../handlers/place-handlers'
import { previewHandlers } from '../handlers/preview-handlers'
import { pushHandlers } from '../handlers/push-handlers'
import type { TrestleClient } from '../../../shared/contract'

/** Every method of the contract on one engine and one host. A method without a handler does not compile. */
export function createRouter(deps: ApiDeps) {
  const os = implementer(deps)
  return os.router({
    agent: agentHandlers(os, deps),
    app: appHandlers(os, deps),
    session: sessionHandlers(os, deps),
    approval: approvalHandlers(os, deps),
    checkpoint: checkpointHandlers(os, deps),
    conversation: conversationHandlers(os, deps),
    editor: editorHandlers(os, deps),
    engine: engineHandlers(os, deps),
    rule: ruleHandlers(os, deps),
    customize: customizeHandlers(os, deps),
    settings: settingsHandlers(os, deps),
    desktop: desktopHandlers(os, deps),
    device: pairingHandlers(os, deps),
    file: fileHandlers(os, deps),
    folder: folderHandlers(os, deps),
    mcp: mcpHandlers(os, deps),
    skill: skillHandlers(os, deps),
    hook: hookHandlers(os, deps),
    mcpContent: mcpContentHandlers(os, deps),
    mail: mailHandlers(os, deps),
    memory: memoryHandlers(os, deps),
    git: gitHandlers(os, deps),
    history: historyHandlers(os, deps),
    alarm: alarmHandlers(os, deps),
    move: moveHandlers(os, deps),
    notification: notificationHandlers(os, deps),
    place: placeHandlers(os, deps),
    plan: planHandlers(os, deps),
    review: reviewHandlers(os, deps),
    schedule: scheduleHandlers(os, deps),
    plugin: pluginHandlers(os, deps),
    preview: previewHandlers(os, deps),
    task: taskHandlers(os, deps),
    terminal: terminalHandlers(os, deps),
    trust: trustHandlers(os, deps),
    usage: usageHandlers(os, deps),
    push: pushHandlers(os, deps),
    worktree: worktreeHandlers(os, deps),
  })
}

export type ApiRouter = ReturnType<typeof createRouter>

/** The contract without a transport: plain calls, for headless hosts and tests. */
export function directClient(router: ApiRouter): TrestleClient {
  return createRouterClient(router)
}
