import type { ContractRouterClient } from '@orpc/contract'
import { agentContract, hookContract, skillContract, trustContract } from './customizations'
import { appContract, desktopContract, pushContract } from './app'
import { approvalContract, planContract } from './approval'
import { checkpointContract, sessionContract } from './session'
import { fileContract, folderContract } from './file'
import { mcpContract, mcpContentContract } from './mcp'
import { alarmContract, notificationContract } from './device'
import { mailContract } from './mail'
import { memoryContract } from './memory'
import { scheduleContract } from './schedule'
import { pluginContract } from './plugin'
import { settingsContract } from './settings'
import { taskContract } from './task'
import { usageContract } from './usage'

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
  mail: mailContract,
  memory: memoryContract,
  alarm: alarmContract,
  notification: notificationContract,
  plan: planContract,
  schedule: scheduleContract,
  plugin: pluginContract,
  skill: skillContract,
  hook: hookContract,
  task: taskContract,
  trust: trustContract,
  usage: usageContract,
  push: pushContract,
}

/** What the interface calls: the same over direct calls, a MessagePort or a WebSocket. */
export type TrestleClient = ContractRouterClient<typeof contract>
