import type { ContractRouterClient } from '@orpc/contract'
import { agentContract, hookContract, skillContract, trustContract } from './customizations'
import { customizeContract, ruleContract } from './customize'
import { appContract, desktopContract, pushContract } from './app'
import { approvalContract, planContract } from './approval'
import { engineContract } from './engine'
import { editorContract } from './editor'
import { conversationContract } from './conversation'
import { checkpointContract, sessionContract } from './session'
import { fileContract, folderContract } from './file'
import { mcpContract, mcpContentContract } from './mcp'
import { alarmContract, notificationContract } from './device'
import { deviceContract } from './paired-device'
import { mailContract } from './mail'
import { gitContract } from './git'
import { historyContract } from './history'
import { moveContract } from './move'
import { memoryContract } from './memory'
import { placeContract } from './place'
import { reviewContract } from './review'
import { scheduleContract } from './schedule'
import { previewContract } from './preview'
import { pluginContract } from './plugin'
import { settingsContract } from './settings'
import { taskContract } from './task'
import { terminalContract } from './terminal'
import { worktreeContract } from './worktree'
import { usageContract } from './usage'

/** Every method there is. A handler that is missing does not compile (src/main/api). */
export const contract = {
  agent: agentContract,
  app: appContract,
  session: sessionContract,
  approval: approvalContract,
  checkpoint: checkpointContract,
  conversation: conversationContract,
  editor: editorContract,
  engine: engineContract,
  rule: ruleContract,
  customize: customizeContract,
  settings: settingsContract,
  desktop: desktopContract,
  device: deviceContract,
  file: fileContract,
  folder: folderContract,
  mcp: mcpContract,
  mcpContent: mcpContentContract,
  mail: mailContract,
  memory: memoryContract,
  git: gitContract,
  history: historyContract,
  alarm: alarmContract,
  move: moveContract,
  notification: notificationContract,
  place: placeContract,
  plan: planContract,
  review: reviewContract,
  schedule: scheduleContract,
  plugin: pluginContract,
  preview: previewContract,
  skill: skillContract,
  hook: hookContract,
  task: taskContract,
  terminal: terminalContract,
  trust: trustContract,
  usage: usageContract,
  push: pushContract,
  worktree: worktreeContract,
}

/** What the interface calls: the same over direct calls, a MessagePort or a WebSocket. */
export type TrestleClient = ContractRouterClient<typeof contract>
