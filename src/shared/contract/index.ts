import type { ContractRouterClient } from '@orpc/contract'
import { agentContract, hookContract, skillContract, trustContract } from './settings/customizations'
import { customizeContract, ruleContract } from './settings/customize'
import { appContract, desktopContract, pushContract } from './app/app'
import { approvalContract, planContract } from './session/approval'
import { engineContract } from './app/engine'
import { editorContract } from './app/editor'
import { conversationContract } from './session/conversation'
import { checkpointContract, sessionContract } from './session/session'
import { fileContract, folderContract } from './project/file'
import { mcpContract, mcpContentContract } from './settings/mcp'
import { alarmContract, notificationContract } from './assistant/device'
import { deviceContract } from './place/paired-device'
import { mailContract } from './assistant/mail'
import { gitContract } from './project/git'
import { historyContract } from './session/history'
import { moveContract } from './place/move'
import { memoryContract } from './assistant/memory'
import { placeContract } from './place/place'
import { reviewContract } from './session/review'
import { scheduleContract } from './assistant/schedule'
import { previewContract } from './app/preview'
import { pluginContract } from './settings/plugin'
import { settingsContract } from './settings/settings'
import { taskContract } from './session/task'
import { terminalContract } from './session/terminal'
import { worktreeContract } from './project/worktree'
import { usageContract } from './session/usage'

/** Every method of the contract. A missing handler does not compile (src/main/api). */
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
