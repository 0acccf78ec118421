import type { ContractRouterClient } from '@orpc/contract'
import { agentContract } from './agent'
import { appContract } from './app'
import { approvalContract } from './approval'
import { checkpointContract } from './checkpoint'
import { desktopContract } from './desktop'
import { fileContract } from './file'
import { folderContract } from './folder'
import { hookContract } from './hook'
import { mcpContract } from './mcp'
import { mcpContentContract } from './mcp-content'
import { planContract } from './plan'
import { pushContract } from './push'
import { sessionContract } from './session'
import { settingsContract } from './settings'
import { skillContract } from './skill'
import { taskContract } from './task'
import { trustContract } from './trust'

/** Every method there is. A handler that is missing does not compile (src/main/api). */
export const contract = {
  agent: agentContract,
  app: appContract,
  session: sessionContract,
  approval: approvalContract,
  checkpoint: checkpointContract,
  settings: settingsContract,
  desktop: desktopContract,
  file: fileContract,
  folder: folderContract,
  mcp: mcpContract,
  mcpContent: mcpContentContract,
  plan: planContract,
  skill: skillContract,
  hook: hookContract,
  task: taskContract,
  trust: trustContract,
  push: pushContract,
}

/** What the interface calls: the same over direct calls, a MessagePort or a WebSocket. */
export type TrestleClient = ContractRouterClient<typeof contract>
